package io.ensemble.site;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * When something expires on which connections to a site depend. Without it, new connections fail.
 *
 * @param source the node that presented the certificate, as {@code host:port}, or the file
 * @param expires null if unknown: the node did not answer, or the file cannot be read
 */
public record CertificateExpiry(Kind kind, String source, @Nullable Instant expires) {

  /** What expires. */
  public enum Kind {
    /** The certificate that a node of the site presents, or an intermediate one that it sends. */
    SERVER,
    /** The certificate of this process, which it presents to the site. */
    CLIENT,
    /** The revocation lists of the authorities of the site: their next update. */
    REVOCATION_LIST
  }
}
