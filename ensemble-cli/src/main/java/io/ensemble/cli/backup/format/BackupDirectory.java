package io.ensemble.cli.backup.format;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.ensemble.check.process.JsonOutput;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The directory of a backup. While the backup is made, its manifest is {@value #PARTIAL}, which is
 * replaced after each cache; at the end it is {@value #MANIFEST}, with its digest beside it. Only
 * the owner can read the directory.
 */
public final class BackupDirectory implements AutoCloseable {

  /** The manifest of a complete backup. */
  public static final String MANIFEST = "manifest.json";

  /** The manifest of a backup that is not complete. */
  public static final String PARTIAL = "manifest.partial.json";

  /** The digest of the manifest, as {@code sha256sum} writes it. */
  static final String DIGEST = MANIFEST + ".sha256";

  private static final String LOCK = "lock";
  private static final String TEMPORARY = ".tmp";
  private static final Pattern CACHE_DIRECTORY = Pattern.compile("cache-[0-9]{4,9}");

  private static final ObjectMapper JSON = JsonOutput.mapper();

  private final Path root;
  private final FileChannel lock;

  private BackupDirectory(Path root, FileChannel lock) {
    this.root = root;
    this.lock = lock;
  }

  /**
   * Opens the directory for a run that writes it, and creates it if necessary. Only one process at
   * a time can have it open.
   *
   * @throws BackupException if another run has it open, or it cannot be written
   */
  public static BackupDirectory open(Path root) {
    try {
      if (!Files.isDirectory(root)) {
        Files.createDirectories(
            root.toAbsolutePath().normalize().getParent() == null
                ? root
                : root.toAbsolutePath().normalize().getParent());
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
      return new BackupDirectory(root, channel);
    } catch (IOException e) {
      throw unwritable(root, e);
    }
  }

  private static boolean isLocked(FileChannel channel) throws IOException {
    try {
      FileLock taken = channel.tryLock();
      return taken != null;
    } catch (OverlappingFileLockException e) {
      return false;
    }
  }

  /** The path of the directory. */
  public Path root() {
    return root;
  }

  /** Whether there is a file at {@code root}, or a directory that holds anything but the lock. */
  public static boolean isUsed(Path root) {
    if (!Files.exists(root)) {
      return false;
    }
    try (Stream<Path> all = Files.list(root)) {
      return all.anyMatch(one -> !one.getFileName().toString().equals(LOCK));
    } catch (IOException e) {
      throw unreadable(root, e);
    }
  }

  /** Whether a complete backup is in {@code root}. */
  public static boolean isComplete(Path root) {
    return Files.isRegularFile(root.resolve(MANIFEST));
  }

  /**
   * The manifest of a complete backup.
   *
   * @throws UnknownBackupFormatException if it has another format
   * @throws BackupException if there is none, it is not complete, or it is damaged
   */
  public static BackupManifest load(Path root) {
    if (!isComplete(root)) {
      throw new BackupException(
          Files.isRegularFile(root.resolve(PARTIAL))
              ? "the backup is not complete: continue it with 'backup create --resume'; directory="
                  + root
              : "there is no backup in this directory: it has no %s; directory=%s"
                  .formatted(MANIFEST, root));
    }
    byte[] bytes = bytes(root.resolve(MANIFEST));
    BackupManifest manifest = parse(root.resolve(MANIFEST), bytes);
    String expected = new String(bytes(root.resolve(DIGEST)), UTF_8);
    if (!expected.startsWith(FileDigest.of(bytes) + " ")) {
      throw new BackupException(
          "the manifest is damaged: its SHA-256 is not that of %s; directory=%s"
              .formatted(DIGEST, root));
    }
    return manifest;
  }

  /** The manifest of a backup that is not complete, if there is one. */
  public static Optional<BackupManifest> loadPartial(Path root) {
    Path partial = root.resolve(PARTIAL);
    return Files.isRegularFile(partial)
        ? Optional.of(parse(partial, bytes(partial)))
        : Optional.empty();
  }

  private static byte[] bytes(Path file) {
    try {
      return Files.readAllBytes(file);
    } catch (IOException e) {
      throw unreadable(file, e);
    }
  }

  /** Reads the version of the format before any other field. */
  private static BackupManifest parse(Path file, byte[] bytes) {
    try {
      JsonNode tree = JSON.readTree(bytes);
      JsonNode format = tree == null ? null : tree.get("format");
      if (format == null || !format.isInt()) {
        throw new BackupException("not the manifest of a backup: it has no format; file=" + file);
      }
      if (format.asInt() != BackupManifest.FORMAT) {
        throw new UnknownBackupFormatException(file.toString(), format.asText());
      }
      return JSON.treeToValue(tree, BackupManifest.class);
    } catch (JsonProcessingException | IllegalArgumentException | NullPointerException e) {
      throw new BackupException("the manifest is damaged; file=" + file, e);
    } catch (IOException e) {
      throw unreadable(file, e);
    }
  }

  /** Writes the manifest of a backup that is not complete. */
  public void savePartial(BackupManifest manifest) {
    replace(PARTIAL, json(manifest));
  }

  /** Completes the backup. */
  public void saveComplete(BackupManifest manifest) {
    byte[] json = json(manifest);
    replace(DIGEST, (FileDigest.of(json) + "  " + MANIFEST + "\n").getBytes(UTF_8));
    replace(MANIFEST, json);
    try {
      Files.deleteIfExists(root.resolve(PARTIAL));
      force(root);
    } catch (IOException e) {
      throw unwritable(root, e);
    }
  }

  private static byte[] json(BackupManifest manifest) {
    try {
      return JSON.writeValueAsBytes(manifest);
    } catch (JsonProcessingException e) {
      throw new AssertionError("a manifest has plain values", e);
    }
  }

  private void replace(String name, byte[] bytes) {
    Path temporary = root.resolve(name + TEMPORARY);
    try {
      Files.deleteIfExists(temporary);
      try (FileChannel channel = create(temporary)) {
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        while (buffer.hasRemaining()) {
          channel.write(buffer);
        }
        channel.force(true);
      }
      Files.move(
          temporary,
          root.resolve(name),
          StandardCopyOption.ATOMIC_MOVE,
          StandardCopyOption.REPLACE_EXISTING);
      force(root);
    } catch (IOException e) {
      throw unwritable(root.resolve(name), e);
    }
  }

  /** Makes the directory of the {@code number}th cache, and returns its name. */
  public String cacheDirectory(int number) {
    String name = "cache-%04d".formatted(number);
    try {
      if (!Files.isDirectory(root.resolve(name))) {
        Files.createDirectory(root.resolve(name), owner(root, "rwx------"));
        force(root);
      }
      return name;
    } catch (IOException e) {
      throw unwritable(root.resolve(name), e);
    }
  }

  /**
   * The lowest number whose directory does not exist.
   *
   * @see #cacheDirectory
   */
  public int freeNumber() {
    int number = 1;
    while (Files.exists(root.resolve("cache-%04d".formatted(number)))) {
      number++;
    }
    return number;
  }

  /** Removes the files of caches that the manifest does not list, of a run that was interrupted. */
  public void removeUnlisted(BackupManifest manifest) {
    Set<Path> listed = new HashSet<>();
    manifest.allFiles().forEach(file -> listed.add(below(root, file.name())));
    try (Stream<Path> directories = Files.list(root)) {
      for (Path directory : directories.toList()) {
        if (CACHE_DIRECTORY.matcher(directory.getFileName().toString()).matches()) {
          removeUnlisted(directory, listed);
        }
      }
    } catch (IOException e) {
      throw unwritable(root, e);
    }
  }

  private static void removeUnlisted(Path directory, Set<Path> listed) throws IOException {
    boolean isEmpty = true;
    try (Stream<Path> files = Files.list(directory)) {
      for (Path file : files.toList()) {
        if (listed.contains(file)) {
          isEmpty = false;
        } else {
          Files.delete(file);
        }
      }
    }
    if (isEmpty) {
      Files.delete(directory);
    }
  }

  /** Removes a file that turned out not to belong to the backup. */
  public void remove(List<BackupManifest.BackupFile> files) {
    for (BackupManifest.BackupFile file : files) {
      try {
        Files.deleteIfExists(below(root, file.name()));
      } catch (IOException e) {
        throw unwritable(root.resolve(file.name()), e);
      }
    }
  }

  /** Ends the run; the lock file is removed. */
  @Override
  public void close() {
    try {
      Files.deleteIfExists(root.resolve(LOCK));
      lock.close();
    } catch (IOException e) {
      // The lock ends with the process.
    }
  }

  /** A file of the backup, by its name in the manifest. */
  static Path below(Path root, String name) {
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

  /** Creates a file that only its owner can read. */
  static FileChannel create(Path file) throws IOException {
    return FileChannel.open(
        file,
        Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
        owner(file, "rw-------"));
  }

  private static FileAttribute<?>[] owner(Path file, String permissions) {
    return file.getFileSystem().supportedFileAttributeViews().contains("posix")
        ? new FileAttribute<?>[] {
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(permissions))
        }
        : new FileAttribute<?>[0];
  }

  /** Forces the names in a directory to the disk, where the system can do so. */
  static void force(Path directory) throws IOException {
    try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
      channel.force(true);
    } catch (FileSystemException e) {
      // Windows opens no directories, and forces names with the files.
    }
  }

  static BackupException unwritable(Path file, IOException cause) {
    return new BackupException(
        "cannot write the backup: %s; file=%s; correct it, then continue with --resume"
            .formatted(reason(cause), file),
        cause);
  }

  static BackupException unreadable(Path file, IOException cause) {
    return new BackupException(
        "cannot read the backup: %s; file=%s".formatted(reason(cause), file), cause);
  }

  private static String reason(IOException cause) {
    String what =
        cause instanceof FileSystemException e && e.getReason() != null
            ? e.getReason()
            : cause.getMessage();
    String type = cause.getClass().getSimpleName();
    return cause instanceof FileSystemException || what == null ? type + " " + what : what;
  }
}
