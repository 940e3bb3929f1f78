package io.ensemble.keyset;

import java.io.IOException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.UserPrincipal;
import java.nio.file.attribute.UserPrincipalNotFoundException;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;

/** The owner of a file, and the other users that can access it. */
final class FileOwner {

  private static final Set<PosixFilePermission> OTHERS =
      EnumSet.complementOf(
          EnumSet.of(
              PosixFilePermission.OWNER_READ,
              PosixFilePermission.OWNER_WRITE,
              PosixFilePermission.OWNER_EXECUTE));

  private FileOwner() {}

  /**
   * The reason why users other than that of this process can access {@code file}; empty if none
   * can.
   */
  static Optional<String> whyNotOurs(Path file) {
    try {
      return whyNotOurs(Files.readAttributes(file, PosixFileAttributes.class), user());
    } catch (NoSuchFileException none) {
      return Optional.empty(); // Reading the file will report the failure.
    } catch (IOException | UnsupportedOperationException unknown) {
      return Optional.of("others=unknown");
    }
  }

  static Optional<String> whyNotOurs(PosixFileAttributes file, UserPrincipal user) {
    Set<PosixFilePermission> open = EnumSet.noneOf(PosixFilePermission.class);
    open.addAll(file.permissions());
    open.retainAll(OTHERS);
    if (!file.owner().equals(user)) {
      return Optional.of("owner=%s user=%s".formatted(file.owner().getName(), user.getName()));
    }
    return open.isEmpty() ? Optional.empty() : Optional.of("others=" + open);
  }

  /** The user that this process runs as, which may have no name. */
  private static UserPrincipal user() throws IOException {
    try {
      return FileSystems.getDefault()
          .getUserPrincipalLookupService()
          .lookupPrincipalByName(System.getProperty("user.name"));
    } catch (UserPrincipalNotFoundException nameless) {
      return Files.getOwner(Path.of("/proc/self"));
    }
  }
}
