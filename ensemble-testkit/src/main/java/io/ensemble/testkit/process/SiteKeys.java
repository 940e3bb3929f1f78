package io.ensemble.testkit.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;

/**
 * The files with the keys and passwords of one site.
 *
 * @param all the keys of the federation
 * @param site the site's name
 * @param users whether it has users
 * @param certificates whether clients must present a certificate
 */
record SiteKeys(Path all, String site, boolean users, boolean certificates) {

  /** The user with the permissions that Ensemble needs. */
  static final String FEDERATION = "ensemble";

  /** The user that may read the health of a node, and has no other permission. */
  static final String WATCH = "watch";

  private static final int LONGEST_LABEL = 63;

  /** The name on its certificate; sites of similar names may share one. */
  String serverName() {
    String label = site.toLowerCase(Locale.ROOT).replace('_', '-').replaceAll("-+$", "");
    return label.substring(0, Math.min(LONGEST_LABEL, label.length())) + ".site.ensemble.internal";
  }

  Path directory() {
    return all.resolve(site);
  }

  /** The certificates that clients of all sites accept. */
  Path trust() {
    return all.resolve("trust.p12");
  }

  /** The certificate that clients present to all sites. */
  Path client() {
    return all.resolve("client.p12");
  }

  /** The password of the clients' two stores. */
  Path trustPassword() {
    return all.resolve("trust.password");
  }

  /** The certificate that its servers present to clients. */
  Path server() {
    return directory().resolve("server.p12");
  }

  /** The certificate that its nodes present to each other, one for all. */
  Path cluster() {
    return directory().resolve("cluster.p12");
  }

  Path clusterTrust() {
    return directory().resolve("cluster-trust.p12");
  }

  /** The password of the three stores. */
  Path storePassword() {
    return directory().resolve("stores.password");
  }

  Path password(String user) {
    return directory().resolve(user + ".password");
  }

  Path userProperties() {
    return directory().resolve("users.properties");
  }

  Path groupProperties() {
    return directory().resolve("groups.properties");
  }

  ProcessSiteAccess entrance() {
    return new ProcessSiteAccess(
        trust(),
        trustPassword(),
        serverName(),
        users
            ? Optional.of(new ProcessSiteAccess.User(FEDERATION, password(FEDERATION)))
            : Optional.empty(),
        certificates ? Optional.of(client()) : Optional.empty());
  }

  static String read(Path secret) {
    try {
      return Files.readString(secret);
    } catch (IOException e) {
      throw new UncheckedIOException("a site's key cannot be read: " + e, e);
    }
  }
}
