import java.io.IOException;
import java.nio.file.*;
import paymentterminal.*;

/** The sample terminal on a machine whose wall clock a test sets, by a file of milliseconds: {@code CLOCK_FILE}. */
public final class SettableClockTerminal {
    private SettableClockTerminal() {}

    public static void main(String[] arguments) throws Exception {
        Path file = Paths.get(System.getenv("CLOCK_FILE"));
        SampleTerminal.start(new JdkNetwork(), new Clocks() {
            @Override
            public long monotonic() {
                return SYSTEM.monotonic();
            }

            @Override
            public long wall() {
                try {
                    return SYSTEM.wall() + Long.parseLong(Files.readString(file).trim());
                } catch (IOException | NumberFormatException notSet) {
                    return SYSTEM.wall();
                }
            }
        });
    }
}
