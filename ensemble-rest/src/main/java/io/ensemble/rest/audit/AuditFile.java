package io.ensemble.rest.audit;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Lines in a file that is made for its owner alone; one that is there keeps its rights. A full one
 * becomes {@code FILE.1}, that one {@code FILE.2}, and so on; the last one goes. A line is handed
 * to the operating system before its request is answered; it is not forced to the disk.
 *
 * <p>Several may write to one file, in one process or in several: one of them moves it on at a
 * time, under {@code FILE.lock}, and the others see that FILE is another by then. What is torn, on
 * a full disk, stays a line of its own.
 */
public final class AuditFile implements AuditSink {

  private static final Set<OpenOption> APPEND =
      Set.of(StandardOpenOption.CREATE, StandardOpenOption.APPEND);
  private static final Set<OpenOption> LOCK =
      Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE);

  /** Held while a file is moved on: locks of files are between processes only. */
  private static final Object MOVING = new Object();

  private final Path file;
  private final long mostBytes;
  private final int files;
  private @Nullable FileChannel channel;
  private @Nullable Object key;

  /**
   * @param mostBytes of one file; a line that is longer has one of its own
   * @param files how many there are, with the one that is written
   */
  public AuditFile(Path file, long mostBytes, int files) {
    if (mostBytes < 1 || files < 1) {
      throw new IllegalArgumentException("a file of audit has bytes, and there is at least one");
    }
    this.file = file;
    this.mostBytes = mostBytes;
    this.files = files;
  }

  @Override
  public synchronized void write(String line) throws IOException {
    byte[] bytes = (line + '\n').getBytes(StandardCharsets.UTF_8);
    try {
      FileChannel open = open();
      if (isFull(open, bytes.length)) {
        rotate(bytes.length);
        open = open();
      }
      ByteBuffer whole = ByteBuffer.wrap(isTorn(open) ? afterAnEnd(bytes) : bytes);
      while (whole.hasRemaining()) {
        open.write(whole);
      }
    } catch (IOException e) {
      closeNow();
      throw e;
    }
  }

  private boolean isFull(FileChannel open, int more) throws IOException {
    return open.size() > 0 && open.size() + more > mostBytes;
  }

  /** Whether whoever wrote last, perhaps another process, did not come to the end of its line. */
  private boolean isTorn(FileChannel open) throws IOException {
    long size = open.size();
    if (size == 0) {
      return false;
    }
    try (FileChannel look = FileChannel.open(file)) {
      ByteBuffer last = ByteBuffer.allocate(1);
      return look.read(last, size - 1) == 1 && last.get(0) != '\n';
    } catch (NoSuchFileException movedMeanwhile) {
      return false;
    }
  }

  private static byte[] afterAnEnd(byte[] line) {
    return ByteBuffer.allocate(line.length + 1).put((byte) '\n').put(line).array();
  }

  private FileChannel open() throws IOException {
    // Whoever has moved the file away, an operator or another service, gets a new one.
    if (channel != null && !isOurs()) {
      closeNow();
    }
    FileChannel present = channel;
    if (present == null) {
      present = FileChannel.open(file, APPEND, ownersOnly());
      channel = present;
      key = key();
    }
    return present;
  }

  /** A file system without keys of files tells only whether there is one. */
  private boolean isOurs() throws IOException {
    Object known = key;
    return known == null ? Files.exists(file) : known.equals(key());
  }

  private @Nullable Object key() throws IOException {
    try {
      return Files.readAttributes(file, BasicFileAttributes.class).fileKey();
    } catch (NoSuchFileException gone) {
      return null;
    }
  }

  private static FileAttribute<?>[] ownersOnly() {
    return FileSystems.getDefault().supportedFileAttributeViews().contains("posix")
        ? new FileAttribute<?>[] {
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"))
        }
        : new FileAttribute<?>[0];
  }

  /** Moves files on, unless somebody else does, or has: then the line goes where they are. */
  private void rotate(int more) throws IOException {
    synchronized (MOVING) {
      try (FileChannel lock = FileChannel.open(numbered("lock"), LOCK, ownersOnly())) {
        if (lock.tryLock() != null && isFull(open(), more)) {
          closeNow();
          move();
        }
      }
    }
  }

  private void move() throws IOException {
    if (files == 1) {
      Files.deleteIfExists(file);
      return;
    }
    for (int i = files - 1; i >= 1; i--) {
      Path from = i == 1 ? file : numbered(String.valueOf(i - 1));
      if (Files.exists(from)) {
        Files.move(from, numbered(String.valueOf(i)), StandardCopyOption.REPLACE_EXISTING);
      }
    }
  }

  private Path numbered(String end) {
    return file.resolveSibling(file.getFileName() + "." + end);
  }

  private void closeNow() {
    FileChannel open = channel;
    channel = null;
    key = null;
    try {
      if (open != null) {
        open.close();
      }
    } catch (IOException e) {
      // What was written was written; what was not has been told.
    }
  }

  @Override
  public synchronized void close() {
    closeNow();
  }
}
