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
 * is deleted. A line is handed to the operating system, and is not forced to the disk. Blocks while
 * the file system does.
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
  private final long maxBytes;
  private final int files;
  private @Nullable FileChannel channel;
  private @Nullable Object fileKey;

  /**
   * @param maxBytes the maximum size of one file, in bytes; a longer line gets a file of its own
   * @param files the number of files, including the current one
   */
  public AuditFile(Path file, long maxBytes, int files) {
    if (maxBytes < 1 || files < 1) {
      throw new IllegalArgumentException(
          "the size and the number of audit files must be above zero");
    }
    this.file = file;
    this.maxBytes = maxBytes;
    this.files = files;
  }

  @Override
  public synchronized void write(String line) throws IOException {
    byte[] bytes = (line + '\n').getBytes(StandardCharsets.UTF_8);
    try {
      FileChannel current = openCurrent();
      if (isFull(current, bytes.length)) {
        rotate(bytes.length);
        current = openCurrent();
      }
      ByteBuffer buffer =
          ByteBuffer.wrap(hasIncompleteLine(current) ? prependLineEnd(bytes) : bytes);
      while (buffer.hasRemaining()) {
        current.write(buffer);
      }
    } catch (IOException e) {
      closeChannel();
      throw e;
    }
  }

  private boolean isFull(FileChannel current, int extraBytes) throws IOException {
    return current.size() > 0 && current.size() + extraBytes > maxBytes;
  }

  /** Whether the last writer, perhaps another process, left an incomplete line. */
  private boolean hasIncompleteLine(FileChannel current) throws IOException {
    long size = current.size();
    if (size == 0) {
      return false;
    }
    try (FileChannel reader = FileChannel.open(file)) {
      ByteBuffer lastByte = ByteBuffer.allocate(1);
      return reader.read(lastByte, size - 1) == 1 && lastByte.get(0) != '\n';
    } catch (NoSuchFileException movedMeanwhile) {
      return false;
    }
  }

  private static byte[] prependLineEnd(byte[] line) {
    return ByteBuffer.allocate(line.length + 1).put((byte) '\n').put(line).array();
  }

  private FileChannel openCurrent() throws IOException {
    // If an operator or another service has moved the file away, a new file is created.
    if (channel != null && !isCurrentFile()) {
      closeChannel();
    }
    FileChannel opened = channel;
    if (opened == null) {
      opened = FileChannel.open(file, APPEND, ownerOnlyPermissions());
      channel = opened;
      fileKey = readFileKey();
    }
    return opened;
  }

  /**
   * Whether the open file is still the one at the path. A file system without file keys shows only
   * whether there is a file.
   */
  private boolean isCurrentFile() throws IOException {
    Object openKey = fileKey;
    return openKey == null ? Files.exists(file) : openKey.equals(readFileKey());
  }

  private @Nullable Object readFileKey() throws IOException {
    try {
      return Files.readAttributes(file, BasicFileAttributes.class).fileKey();
    } catch (NoSuchFileException gone) {
      return null;
    }
  }

  private static FileAttribute<?>[] ownerOnlyPermissions() {
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
  private void rotate(int extraBytes) throws IOException {
    synchronized (MOVING) {
      try (FileChannel lock =
          FileChannel.open(resolveSuffix("lock"), LOCK, ownerOnlyPermissions())) {
        if (lock.tryLock() != null && isFull(openCurrent(), extraBytes)) {
          closeChannel();
          shiftFiles();
        }
      }
    }
  }

  private void shiftFiles() throws IOException {
    if (files == 1) {
      Files.deleteIfExists(file);
      return;
    }
    for (int i = files - 1; i >= 1; i--) {
      Path from = i == 1 ? file : resolveSuffix(String.valueOf(i - 1));
      if (Files.exists(from)) {
        Files.move(from, resolveSuffix(String.valueOf(i)), StandardCopyOption.REPLACE_EXISTING);
      }
    }
  }

  private Path resolveSuffix(String suffix) {
    return file.resolveSibling(file.getFileName() + "." + suffix);
  }

  private void closeChannel() {
    FileChannel current = channel;
    channel = null;
    fileKey = null;
    try {
      if (current != null) {
        current.close();
      }
    } catch (IOException e) {
      // The lines written are kept, and each failed write has been reported.
    }
  }

  @Override
  public synchronized void close() {
    closeChannel();
  }
}
