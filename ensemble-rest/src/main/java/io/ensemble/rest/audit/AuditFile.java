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
 * Lines in a file. A new file is accessible to its owner only; an existing file keeps its
 * permissions. A full file becomes {@code FILE.1}, that one {@code FILE.2}, and so on; the last one
 * is deleted. A line is handed to the operating system before its request is answered, and is not
 * forced to the disk.
 *
 * <p>Several writers, in one process or in several, may write to one file. One of them at a time
 * rotates the file, under {@code FILE.lock}; the others detect that FILE is another file
 * afterwards. An incomplete line, on a full disk, remains a line of its own.
 */
public final class AuditFile implements AuditSink {

  private static final Set<OpenOption> APPEND =
      Set.of(StandardOpenOption.CREATE, StandardOpenOption.APPEND);
  private static final Set<OpenOption> LOCK =
      Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE);

  /** Held during a rotation: file locks exclude other processes only. */
  private static final Object MOVING = new Object();

  private final Path file;
  private final long mostBytes;
  private final int files;
  private @Nullable FileChannel channel;
  private @Nullable Object key;

  /**
   * @param mostBytes the maximum size of one file, in bytes; a longer line gets a file of its own
   * @param files the number of files, including the current one
   */
  public AuditFile(Path file, long mostBytes, int files) {
    if (mostBytes < 1 || files < 1) {
      throw new IllegalArgumentException(
          "the size and the number of audit files must be above zero");
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

  /** Whether the last writer, perhaps another process, left an incomplete line. */
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
    // If an operator or another service has moved the file away, a new file is created.
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

  /**
   * Whether the open file is still the one at the path. A file system without file keys shows only
   * whether there is a file.
   */
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

  /**
   * Rotates the files, unless another writer does or has done so; the line then goes to the current
   * file.
   */
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
      // The lines written are kept, and each failed write has been reported.
    }
  }

  @Override
  public synchronized void close() {
    closeNow();
  }
}
