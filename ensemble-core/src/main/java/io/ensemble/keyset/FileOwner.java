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

/** Whose a file is, and who else can use it. */
final class FileOwner {

  private static final Set<PosixFilePermission> OTHERS =
      EnumSet.complementOf(
          EnumSet.of(
              PosixFilePermission.OWNER_READ,
              PosixFilePermission.OWNER_WRITE,
              PosixFilePermission.OWNER_EXECUTE));

  private FileOwner() {}

  /** Why others than the user of this process may use {@code file}; empty if none may. */
  static Optional<String> whyNotOurs(Path file) {
    try {
      return whyNotOurs(Files.readAttributes(file, PosixFileAttributes.class), user());
    } catch (NoSuchFileException none) {
      return Optional.empty(); // Whoever reads it will tell.
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

  /** Whom this process runs as, who may have no name. */
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
