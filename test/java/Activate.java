import paymentterminal.*;

/** Exchanges an activation code, and prints what it gives, or the kind of the problem and its message. */
public final class Activate {
    private Activate() {}

    public static void main(String[] arguments) {
        try {
            Activation given = Activation.exchange(arguments[0], new JdkNetwork(), arguments[1]);
            System.out.println(given.terminalId + " " + given.secret);
        } catch (SessionException problem) {
            System.out.println(problem.kind + " " + problem.getMessage());
        }
    }
}
