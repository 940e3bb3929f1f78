package io.ensemble.site.hotrod.configuration;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/**
 * Refuses files with secrets that every user of the machine can read or change. A group may read
 * them, because containers mount secrets so. Where the file system has no permissions of POSIX,
 * nothing is refused. Thread-safe.
 */
public final class SecretFiles {

  /** The system property that allows such files when it is {@code true}. */
  public static final String ALLOW = "ensemble.openSecretFiles";

  private SecretFiles() {}

  /**
   * Checks a file. A missing file passes: its reader reports the failure.
   *
   * @return {@code file}
   * @throws IllegalStateException if every user can read or change it, and the property {@value
   *     #ALLOW} is not {@code true}
   */
  public static Path check(Path file) {
    Set<PosixFilePermission> permissions;
    try {
      Path real = file.toRealPath();
      permissions = Files.getPosixFilePermissions(real);
      if (!isOpen(permissions) || !isReachable(real) || Boolean.getBoolean(ALLOW)) {
        return file;
      }
    } catch (IOException | UnsupportedOperationException unknown) {
      return file;
    }
    throw new IllegalStateException(
        "a secret file must not be accessible to every user; run chmod o-rwx, or set -D%s=true;"
                .formatted(ALLOW)
            + " file=%s permissions=%s"
                .formatted(file, PosixFilePermissions.toString(permissions)));
  }

  private static boolean isOpen(Set<PosixFilePermission> permissions) {
    return permissions.contains(PosixFilePermission.OTHERS_READ)
        || permissions.contains(PosixFilePermission.OTHERS_WRITE);
  }

  /** Whether every user can enter all directories above the file. */
  private static boolean isReachable(Path real) throws IOException {
    for (Path above = real.getParent(); above != null; above = above.getParent()) {
      if (!Files.getPosixFilePermissions(above).contains(PosixFilePermission.OTHERS_EXECUTE)) {
        return false;
      }
    }
    return true;
  }
}
