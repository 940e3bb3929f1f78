package io.ensemble.rest.gate;

import io.ensemble.rest.http.Problem;
import io.ensemble.rest.http.ProblemException;
import io.ensemble.rest.http.ProblemType;
import io.ensemble.rest.http.RequestHead;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;

/**
 * Rejects requests of foreign pages in a user's browser. A page may change its host's address to
 * this service after it was loaded (DNS rebinding); its requests then have its own host in {@code
 * Host}. A page of another site has its origin in {@code Origin}. The service never sends a header
 * that would let a foreign page read responses (CORS).
 *
 * @param hosts names of this service, without ports, in lower case; empty if none is checked,
 *     because TLS has checked the name
 * @param origins further origins of the service's own pages, if a proxy before the service ends
 *     TLS; such pages authenticate by a token, not by credentials that the browser adds
 */
public record OriginPolicy(Set<String> hosts, Set<String> origins) {

  /** The names of a service on this machine only. */
  public static final Set<String> LOOPBACK = Set.of("127.0.0.1", "localhost", "[::1]");

  /**
   * No resource here is a script, a style, an image or a frame; an empty value means a client other
   * than a browser.
   */
  private static final Set<String> ASKED_BY_A_SCRIPT_OR_SHOWN = Set.of("", "empty", "document");

  public OriginPolicy {
    hosts = lower(hosts);
    origins = lower(origins);
  }

  private static Set<String> lower(Set<String> all) {
    Set<String> lower = new TreeSet<>();
    all.forEach(one -> lower.add(one.toLowerCase(Locale.ROOT)));
    return Set.copyOf(lower);
  }

  /**
   * Checks a request.
   *
   * @param isPublic whether the resource contains nothing secret, so that any page may link to it
   * @throws ProblemException if the request is not for this service, or comes from a foreign page
   */
  void check(RequestHead head, boolean isPublic) {
    String authority = one(head, "host").toLowerCase(Locale.ROOT);
    if (!hosts.isEmpty() && !hosts.contains(name(authority))) {
      throw refused("Host");
    }
    String site = one(head, "sec-fetch-site");
    String origin = one(head, "origin").toLowerCase(Locale.ROOT);
    if (!origin.isEmpty()) {
      String ours = (head.secure() ? "https://" : "http://") + authority;
      if (!origin.equals(ours) && !(origins.contains(origin) && isNotAmbient(head, site))) {
        throw refused("Origin");
      }
    }
    boolean reads = head.method().equals("GET") || head.isHead();
    boolean foreign = site.equals("cross-site") || site.equals("same-site");
    if (foreign && !(reads && isPublic)) {
      throw refused("Sec-Fetch-Site");
    }
    if (!isPublic && !ASKED_BY_A_SCRIPT_OR_SHOWN.contains(one(head, "sec-fetch-dest"))) {
      throw refused("Sec-Fetch-Dest");
    }
  }

  /** Whether a page authenticates by credentials that the browser does not add automatically. */
  private static boolean isNotAmbient(RequestHead head, String site) {
    return site.equals("same-origin")
        || one(head, "authorization").toLowerCase(Locale.ROOT).startsWith("bearer ");
  }

  private static String one(RequestHead head, String header) {
    List<String> values = head.headers().getOrDefault(header, List.of());
    if (values.size() > 1) {
      throw refused(header);
    }
    return values.isEmpty() ? "" : values.get(0).strip();
  }

  /** The host name without the port and without the final dot of a full name. */
  private static String name(String authority) {
    int colon = authority.lastIndexOf(':');
    String name = colon > authority.lastIndexOf(']') ? authority.substring(0, colon) : authority;
    return name.endsWith(".") ? name.substring(0, name.length() - 1) : name;
  }

  private static ProblemException refused(String header) {
    return new ProblemException(
        Problem.bare(
                ProblemType.FORBIDDEN,
                "the request has the Host of another service, or comes from a page of another "
                    + "origin")
            .with("field", header));
  }
}
