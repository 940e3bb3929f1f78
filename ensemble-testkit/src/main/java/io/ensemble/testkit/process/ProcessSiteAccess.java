package io.ensemble.testkit.process;

import java.nio.file.Path;
import java.util.Optional;

/**
 * How a client enters a site that is not open to anyone. Secrets are named by their files, which
 * only this user may read.
 *
 * @param trustStore a PKCS12 file: the authority that has signed the site's certificate
 * @param trustStorePassword the file with its password
 * @param serverName the name that the site's certificate bears; sites of like names ({@code a-b},
 *     {@code a_b}) may share one
 * @param user who may do what Ensemble does; empty where nobody has to be anybody
 */
public record ProcessSiteAccess(
    Path trustStore, Path trustStorePassword, String serverName, Optional<User> user) {

  /**
   * A user of a site.
   *
   * @param password the file with the password
   */
  public record User(String name, Path password) {}
}
