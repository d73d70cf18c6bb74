/** The sample terminal with the network of Android. Its class is in the package of no name, as the sample's. */
public final class OkHttpTerminal {
    private OkHttpTerminal() {}

    public static void main(String[] arguments) throws Exception {
        SampleTerminal.start(new paymentterminal.OkHttpNetwork(new okhttp3.OkHttpClient()), paymentterminal.Clocks.SYSTEM);
    }
}
