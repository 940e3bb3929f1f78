package io.ensemble.testkit.process;

import static java.nio.file.StandardCopyOption.ATOMIC_MOVE;

import io.ensemble.testkit.keys.CertificateAuthority;
import io.ensemble.testkit.keys.OwnerOnlyFiles;
import io.ensemble.testkit.keys.RandomPassword;
import io.ensemble.testkit.keys.TlsIdentity;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The keys of a federation, in a directory that only the present user can enter. They appear there
 * in one step, all or none: an existing directory is moved away before, and back if the step
 * failed. The next start finds them again. When less than one year of their five remains, all are
 * made anew. The signing authority is discarded once the keys exist; no program, this one included,
 * can issue another certificate.
 */
final class FederationKeys {

  private static final Duration LIFE = Duration.ofDays(5 * 365);
  private static final Duration LEAST_LEFT = Duration.ofDays(365);
  private static final String HERE = "127.0.0.1";

  private FederationKeys() {}

  /**
   * Finds or makes the keys of these sites.
   *
   * @param directory the directory of the federation, locked by this process
   * @throws UncheckedIOException if they cannot be written for the present user alone
   */
  static void provide(Path directory, List<String> sites, ProcessSecurity security) {
    Path keys = at(directory);
    Path former = directory.resolve("keys.old");
    try {
      settle(keys, former);
      if (!areGood(keys, sites, security)) {
        Path fresh = directory.resolve("keys.new");
        remove(fresh); // An earlier process died while it made them.
        make(fresh, sites);
        Path known = catalogPassword(keys);
        if (Files.exists(known)) { // The catalog grants access to this password.
          OwnerOnlyFiles.write(catalogPassword(fresh), SiteKeys.read(known));
        }
        if (Files.exists(keys)) {
          Files.move(keys, former, ATOMIC_MOVE);
        }
        Files.move(fresh, keys, ATOMIC_MOVE);
        remove(former);
      }
    } catch (IOException e) {
      throw new UncheckedIOException("keys cannot be made in %s: %s".formatted(directory, e), e);
    }
  }

  /**
   * Finishes a step in which an earlier process died. Until the new keys are in place, the former
   * ones are complete. They include the password that the catalog has for Ensemble, which could not
   * be restored.
   */
  private static void settle(Path keys, Path former) throws IOException {
    if (Files.exists(keys)) {
      remove(former);
    } else if (Files.exists(former)) {
      Files.move(former, keys, ATOMIC_MOVE);
    }
  }

  /** The keys of {@code site}. */
  static SiteKeys of(Path directory, String site, ProcessSecurity security) {
    return new SiteKeys(at(directory), site, security.hasUsers(), security.hasClientCertificates());
  }

  /**
   * The credentials of Ensemble for the catalog of the federation, in the form that the catalog's
   * address requires.
   */
  static Path catalogAccess(Path directory) {
    return at(directory).resolve("catalog.properties");
  }

  private static Path catalogPassword(Path keys) {
    return keys.resolve("catalog.password");
  }

  private static Path at(Path directory) {
    return directory.resolve("keys");
  }

  private static boolean areGood(Path keys, List<String> sites, ProcessSecurity security) {
    SiteKeys any = any(keys, sites.get(0));
    if (!sites.stream().allMatch(site -> Files.isDirectory(keys.resolve(site)))) {
      return false;
    }
    if (security.hasClientCertificates() && !Files.exists(any.client())) {
      return false; // Made by a version without client certificates.
    }
    try (InputStream in = Files.newInputStream(any.trust())) {
      KeyStore trust = KeyStore.getInstance("PKCS12");
      trust.load(in, SiteKeys.read(any.trustPassword()).toCharArray());
      Certificate authority = trust.getCertificate(trust.aliases().nextElement());
      return authority instanceof X509Certificate known
          && known.getNotAfter().toInstant().isAfter(Instant.now().plus(LEAST_LEFT));
    } catch (IOException | UncheckedIOException | GeneralSecurityException unreadable) {
      return false;
    }
  }

  private static SiteKeys any(Path keys, String site) {
    return new SiteKeys(keys, site, true, true);
  }

  private static void make(Path keys, List<String> sites) throws IOException {
    OwnerOnlyFiles.directory(keys);
    CertificateAuthority authority = CertificateAuthority.create("Ensemble federation", LIFE);
    SiteKeys any = any(keys, sites.get(0));
    RandomPassword trust = RandomPassword.create();
    TlsIdentity.writeTrust(any.trust(), trust.characters(), authority.certificate());
    authority.client(SiteKeys.FEDERATION).write(any.client(), trust.characters());
    trust.write(any.trustPassword());
    RandomPassword.create().write(catalogPassword(keys));
    OwnerOnlyFiles.write(
        keys.resolve("catalog.properties"),
        "user=%s\npassword_file=catalog.password\n".formatted(SiteKeys.FEDERATION));
    for (String site : sites) {
      make(any(keys, site), authority);
    }
  }

  private static void make(SiteKeys site, CertificateAuthority authority) throws IOException {
    OwnerOnlyFiles.directory(site.directory());
    RandomPassword stores = RandomPassword.create();
    stores.write(site.storePassword());
    char[] password = stores.characters();
    authority
        .server("site", List.of(site.serverName(), "localhost", HERE))
        .write(site.server(), password);
    TlsIdentity peers = CertificateAuthority.peers("nodes", LIFE);
    peers.write(site.cluster(), password);
    TlsIdentity.writeTrust(site.clusterTrust(), password, peers.certificate());
    RandomPassword federation = RandomPassword.create();
    federation.write(site.password(SiteKeys.FEDERATION));
    RandomPassword watch = RandomPassword.create();
    watch.write(site.password(SiteKeys.WATCH));
    OwnerOnlyFiles.write(
        site.userProperties(),
        Stream.of(
                "#$REALM_NAME=default$",
                "#$ALGORITHM=encrypted$",
                federation.userLine(SiteKeys.FEDERATION),
                watch.userLine(SiteKeys.WATCH))
            .collect(Collectors.joining("\n", "", "\n")));
    OwnerOnlyFiles.write(
        site.groupProperties(),
        "%1$s=%1$s\n%2$s=%2$s\n".formatted(SiteKeys.FEDERATION, SiteKeys.WATCH));
  }

  private static void remove(Path directory) throws IOException {
    if (Files.exists(directory)) {
      try (Stream<Path> all = Files.walk(directory)) {
        for (Path each : all.sorted(Comparator.reverseOrder()).toList()) {
          Files.delete(each);
        }
      }
    }
  }
}
