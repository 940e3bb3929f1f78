package io.ensemble.cli.backup.format;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A directory that only its owner can read. A file has a temporary name until it is complete: its
 * bytes are forced to the disk, then it is renamed. One run at a time holds the lock.
 */
public final class BackupDirectory implements BackupStore {

  private static final String LOCK = "lock";
  private static final String TEMPORARY = ".tmp";

  private final Path root;
  private @Nullable FileChannel lock;

  public BackupDirectory(Path root) {
    this.root = root;
  }

  @Override
  public String location() {
    return "directory=" + root;
  }

  @Override
  public String location(String name) {
    return "file=" + root.resolve(name);
  }

  /** Creates the directory if necessary. Only one process at a time can hold its lock. */
  @Override
  public void claim() throws IOException {
    if (lock != null) {
      return;
    }
    if (!Files.isDirectory(root)) {
      Files.createDirectories(parent(root.toAbsolutePath().normalize()));
      Files.createDirectory(root, owner(root, "rwx------"));
    }
    FileChannel channel =
        FileChannel.open(
            root.resolve(LOCK),
            Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE),
            owner(root, "rw-------"));
    if (!isLocked(channel)) {
      channel.close();
      throw new BackupException("another backup is being written to this directory: " + root);
    }
    lock = channel;
  }

  private static boolean isLocked(FileChannel channel) throws IOException {
    try {
      FileLock taken = channel.tryLock();
      return taken != null;
    } catch (OverlappingFileLockException e) {
      return false;
    }
  }

  @Override
  public Stream<String> names() throws IOException {
    if (!Files.exists(root)) {
      return Stream.empty();
    }
    return Files.walk(root)
        .filter(file -> !Files.isDirectory(file))
        .map(file -> root.relativize(file).toString().replace('\\', '/'))
        .filter(name -> !name.equals(LOCK));
  }

  @Override
  public boolean isTemporary(String name) {
    return name.startsWith("manifest.") && name.endsWith(TEMPORARY);
  }

  @Override
  public OptionalLong size(String name) throws IOException {
    Path file = file(name);
    return Files.isRegularFile(file) ? OptionalLong.of(Files.size(file)) : OptionalLong.empty();
  }

  @Override
  public InputStream read(String name) throws IOException {
    return Files.newInputStream(file(name));
  }

  @Override
  public Optional<byte[]> load(String name) throws IOException {
    Path file = file(name);
    return Files.isRegularFile(file) ? Optional.of(Files.readAllBytes(file)) : Optional.empty();
  }

  @Override
  public void save(String name, byte[] content) throws IOException {
    try (BackupOutput out = create(name)) {
      out.write(content);
      out.complete();
    }
  }

  @Override
  public BackupOutput create(String name) throws IOException {
    Path file = file(name);
    Path directory = parent(file);
    if (!Files.isDirectory(directory)) {
      Files.createDirectory(directory, owner(directory, "rwx------"));
      force(parent(directory));
    }
    Path temporary = root.resolve(name + TEMPORARY);
    Files.deleteIfExists(temporary); // Of a run that was interrupted.
    return new TemporaryFile(file, temporary);
  }

  /** Does nothing: a file that is not complete has a name of its own, which no manifest lists. */
  @Override
  public void removeIncomplete() {}

  /** Deletes the directory of the file, too, if it was the last one there. */
  @Override
  public void delete(String name) throws IOException {
    Path file = file(name);
    Files.deleteIfExists(file);
    Path directory = parent(file);
    if (!directory.equals(root)) {
      try {
        Files.deleteIfExists(directory);
      } catch (DirectoryNotEmptyException e) {
        // It has other files.
      }
    }
  }

  /** The lock file stays: another run may be about to lock it, and must not lock a deleted one. */
  @Override
  public void close() {
    if (lock != null) {
      try {
        lock.close();
      } catch (IOException e) {
        // The lock ends with the process.
      }
      lock = null;
    }
  }

  private Path file(String name) {
    try {
      Path file = root.resolve(name);
      Path base = root.toAbsolutePath().normalize();
      if (!name.isEmpty() && file.toAbsolutePath().normalize().startsWith(base)) {
        return file;
      }
    } catch (InvalidPathException e) {
      throw new BackupException("the manifest names a file that cannot exist: " + name, e);
    }
    throw new BackupException("the manifest names a file outside the backup: " + name);
  }

  private Path parent(Path file) {
    return Objects.requireNonNullElse(file.getParent(), root);
  }

  private static FileAttribute<?>[] owner(Path file, String permissions) {
    return file.getFileSystem().supportedFileAttributeViews().contains("posix")
        ? new FileAttribute<?>[] {
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(permissions))
        }
        : new FileAttribute<?>[0];
  }

  /** Forces the names in a directory to the disk, where the system can do so. */
  private static void force(Path directory) throws IOException {
    try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
      channel.force(true);
    } catch (FileSystemException e) {
      // Windows opens no directories, and forces names with the files.
    }
  }

  private final class TemporaryFile extends BackupOutput {

    private final Path file;
    private final Path temporary;
    private final FileChannel channel;

    TemporaryFile(Path file, Path temporary) throws IOException {
      this.file = file;
      this.temporary = temporary;
      this.channel =
          FileChannel.open(
              temporary,
              Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
              owner(temporary, "rw-------"));
    }

    @Override
    public void write(int one) throws IOException {
      write(new byte[] {(byte) one}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
      ByteBuffer buffer = ByteBuffer.wrap(bytes, offset, length);
      while (buffer.hasRemaining()) {
        channel.write(buffer);
      }
    }

    @Override
    public void complete() throws IOException {
      channel.force(true);
      channel.close();
      Files.move(
          temporary, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
      force(parent(file));
    }

    @Override
    public void close() throws IOException {
      if (channel.isOpen()) {
        channel.close();
        Files.deleteIfExists(temporary);
      }
    }
  }
}
