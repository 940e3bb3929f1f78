package io.ensemble.testkit.process;

import java.nio.file.Path;
import java.util.Optional;

/**
 * The credentials with which a client enters a secured site. Secrets are named by their files,
 * which only the present user may read.
 *
 * @param trustStore a PKCS12 file: the authority that has signed the site's certificate
 * @param trustStorePassword the file with its password
 * @param serverName the name in the site's certificate; sites of similar names ({@code a-b}, {@code
 *     a_b}) may share one
 * @param user a user with the permissions that Ensemble needs; empty if no user is required
 * @param keyStore a PKCS12 file: the client's key and certificate, with the password of the trust
 *     store; empty if no certificate is required
 */
public record ProcessSiteAccess(
    Path trustStore,
    Path trustStorePassword,
    String serverName,
    Optional<User> user,
    Optional<Path> keyStore) {

  /**
   * A user of a site.
   *
   * @param password the file with the password
   */
  public record User(String name, Path password) {}
}
