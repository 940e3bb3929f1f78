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
 * Keeps other people's pages in a user's browser out: a page whose host's address was changed to
 * ours after it was loaded (DNS rebinding) asks for its own host, and a page of another site says
 * in {@code Origin} what it is. No header that would let one read answers (CORS) is ever sent.
 *
 * @param hosts names of this service, without ports, in lower case; empty if none is checked, as
 *     TLS has checked it
 * @param origins what else the service's own pages are served as, where something before it ends
 *     TLS: they prove who asks by a token of theirs, not by what the browser adds
 */
public record OriginPolicy(Set<String> hosts, Set<String> origins) {

  /** What a service on this machine alone is called. */
  public static final Set<String> LOOPBACK = Set.of("127.0.0.1", "localhost", "[::1]");

  /** A script, a style, an image or a frame is never what is kept here; empty is no browser. */
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
   * @param isPublic whether what is asked for holds nothing, so that any page may lead to it
   * @throws ProblemException if the request is not for this service, or is a page's from elsewhere
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

  /** Whether a page proves itself by what the browser does not add of its own accord. */
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

  /** Without the port, and the dot that a full name may end with. */
  private static String name(String authority) {
    int colon = authority.lastIndexOf(':');
    String name = colon > authority.lastIndexOf(']') ? authority.substring(0, colon) : authority;
    return name.endsWith(".") ? name.substring(0, name.length() - 1) : name;
  }

  private static ProblemException refused(String header) {
    return new ProblemException(
        Problem.bare(
                ProblemType.FORBIDDEN,
                "the request is not for this service, or comes from a page that is not its own")
            .with("field", header));
  }
}
