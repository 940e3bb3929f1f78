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
    hosts = toLowerCase(hosts);
    origins = toLowerCase(origins);
  }

  private static Set<String> toLowerCase(Set<String> names) {
    Set<String> lowerCaseNames = new TreeSet<>();
    names.forEach(name -> lowerCaseNames.add(name.toLowerCase(Locale.ROOT)));
    return Set.copyOf(lowerCaseNames);
  }

  /**
   * Checks a request.
   *
   * @param isPublic whether the resource contains nothing secret, so that any page may link to it
   * @throws ProblemException if the request is not for this service, or comes from a foreign page
   */
  void check(RequestHead head, boolean isPublic) {
    String authority = readHeader(head, "host").toLowerCase(Locale.ROOT);
    if (!hosts.isEmpty() && !hosts.contains(toHostName(authority))) {
      throw toProblem("Host");
    }
    String site = readHeader(head, "sec-fetch-site");
    String origin = readHeader(head, "origin").toLowerCase(Locale.ROOT);
    if (!origin.isEmpty()) {
      String ownOrigin = (head.secure() ? "https://" : "http://") + authority;
      if (!origin.equals(ownOrigin) && !(origins.contains(origin) && isNotAmbient(head, site))) {
        throw toProblem("Origin");
      }
    }
    boolean isRead = head.method().equals("GET") || head.isHead();
    boolean isForeign = site.equals("cross-site") || site.equals("same-site");
    if (isForeign && !(isRead && isPublic)) {
      throw toProblem("Sec-Fetch-Site");
    }
    if (!isPublic && !ASKED_BY_A_SCRIPT_OR_SHOWN.contains(readHeader(head, "sec-fetch-dest"))) {
      throw toProblem("Sec-Fetch-Dest");
    }
  }

  /** Whether a page authenticates by credentials that the browser does not add automatically. */
  private static boolean isNotAmbient(RequestHead head, String site) {
    return site.equals("same-origin")
        || readHeader(head, "authorization").toLowerCase(Locale.ROOT).startsWith("bearer ");
  }

  private static String readHeader(RequestHead head, String header) {
    List<String> values = head.headers().getOrDefault(header, List.of());
    if (values.size() > 1) {
      throw toProblem(header);
    }
    return values.isEmpty() ? "" : values.get(0).strip();
  }

  /** The host name without the port and without the final dot of a full name. */
  private static String toHostName(String authority) {
    int colon = authority.lastIndexOf(':');
    String name = colon > authority.lastIndexOf(']') ? authority.substring(0, colon) : authority;
    return name.endsWith(".") ? name.substring(0, name.length() - 1) : name;
  }

  private static ProblemException toProblem(String header) {
    return new ProblemException(
        Problem.bare(
                ProblemType.FORBIDDEN,
                "the request has the Host of another service, or comes from a page of another "
                    + "origin")
            .with("field", header));
  }
}
