package paymentterminal;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.nio.file.StandardOpenOption.*;

import java.io.File;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.*;
import java.nio.file.*;
import java.util.concurrent.locks.LockSupport;

/**
 * A memory in one file of the machine's own disk, or of an Android app's {@code getFilesDir()}. Each save writes and syncs a
 * second file and renames it over the first, so that a power cut leaves one of them complete.
 *
 * <p>The operating system holds the lock and releases it with the process, also after {@code kill -9} and a power cut.
 */
public final class FileStore implements TerminalStore {
    /** How long a process that is being replaced may still have the lock, in milliseconds. */
    private static final long LEAVES_WITHIN = 5_000;
    private static final long RETRY = 100;

    private final Path path;
    private FileChannel lock;

    public FileStore(Path path) {
        this.path = path.toAbsolutePath();
    }

    @Override
    public String load() throws IOException {
        Files.createDirectories(path.getParent());
        lock();
        return Files.exists(path) ? new String(Files.readAllBytes(path), UTF_8) : null;
    }

    @Override
    public void save(String memory) throws IOException {
        Path next = Paths.get(path + ".next");
        try (FileChannel file = FileChannel.open(next, CREATE, WRITE, TRUNCATE_EXISTING)) {
            ByteBuffer bytes = UTF_8.encode(memory);
            while (bytes.hasRemaining()) file.write(bytes);
            file.force(true);
        }
        Files.move(next, path, StandardCopyOption.ATOMIC_MOVE);
        // The rename is durable after the folder is. Windows cannot sync a folder: a power cut there may undo it.
        if (File.separatorChar == '\\') return;
        try (FileChannel folder = FileChannel.open(path.getParent(), READ)) {
            folder.force(true);
        }
    }

    @Override
    public void close() throws IOException {
        if (lock != null) lock.close();
        lock = null;
    }

    private void lock() throws IOException {
        if (lock != null) return;
        FileChannel file = FileChannel.open(Paths.get(path + ".lock"), CREATE, WRITE);
        long end = System.nanoTime() + LEAVES_WITHIN * 1_000_000;
        while (!isLocked(file)) {
            if (System.nanoTime() - end > 0) {
                file.close();
                throw new IOException("Another process uses " + path + ". Stop it first, or give this one its own file.");
            }
            LockSupport.parkNanos(RETRY * 1_000_000);
        }
        lock = file; // collected as garbage, it would be unlocked
    }

    private static boolean isLocked(FileChannel file) throws IOException {
        try {
            return file.tryLock() != null;
        } catch (OverlappingFileLockException problem) { // another store of this process
            return false;
        }
    }
}
