package io.ensemble.rest.http;

import java.util.List;
import java.util.Locale;

/**
 * The types of problems (RFC 9457). Their names are part of the API: a client may decide by {@code
 * type}, which is {@code /problems/NAME}.
 *
 * <p>There are three families, never mixed: mistakes of the caller; refusals, which certainly had
 * no effect; and unknown outcomes, which may have had one.
 */
public enum ProblemType {
  /** The path, the query, a header or the JSON cannot be read. */
  MALFORMED(400, false, "The request cannot be read"),
  /** A field, parameter or header has an invalid value; {@code field} names it. */
  INVALID_FIELD(422, false, "A field has a value that it cannot have"),
  /** The caller is not authenticated. */
  UNAUTHENTICATED(401, false, "Who asks is not known"),
  /** The caller lacks the permission. */
  FORBIDDEN(403, false, "Who asks may not do this"),
  /** The thing does not exist. */
  NOT_FOUND(404, false, "There is no such thing"),
  /** The thing exists, but does not support this method. */
  METHOD_NOT_ALLOWED(405, false, "This cannot be done to it"),
  /** The thing has no representation in a requested type. */
  NOT_ACCEPTABLE(406, false, "There is no such form of it"),
  /** The request conflicts with the present state. */
  CONFLICT(409, false, "What is there is in the way"),
  /** A thing of that name exists with other settings; for sites, {@code differences} names them. */
  EXISTS_OTHERWISE(409, false, "It exists with other settings"),
  /** A cache is being changed. */
  CHANGE_UNDER_WAY(409, true, "A change is under way"),
  /** A site has caches, named in {@code caches}. */
  SITE_IN_USE(409, false, "The site is in use"),
  /** No sites satisfy the placement policy; {@code reasons} gives the reason for each site. */
  PLACEMENT_IMPOSSIBLE(409, false, "Too few sites may hold it"),
  /**
   * The cache is private, and this service cannot read or write it; {@code reason} gives the
   * reason.
   */
  PRIVATE_CACHE(409, false, "The cache is private"),
  /** SWMR: another process is the cache's writer. The request had no effect. */
  WRITER_PRESENT(409, true, "Another process is the writer"),
  /** The lock was not acquired in the given time. The caller does not hold the lock. */
  LOCK_HELD(409, true, "Somebody holds the lock"),
  /** The holder no longer holds the lock, or never did. */
  LEASE_LOST(409, false, "The lock is not held"),
  /** An Idempotency-Key was used again with another request. The request had no effect. */
  IDEMPOTENCY_KEY_REUSED(422, false, "The key is another request's"),
  /** The resource cannot keep the guarantee of an Idempotency-Key. The request had no effect. */
  IDEMPOTENCY_UNSUPPORTED(422, false, "An Idempotency-Key is not kept here"),
  /** The thing existed, and was compacted away. */
  GONE(410, false, "It was compacted away"),
  /** The entry does not satisfy the precondition. The request had no effect. */
  PRECONDITION_FAILED(412, false, "The precondition does not hold"),
  /** The request exceeds a size limit. */
  TOO_LARGE(413, false, "It is too large"),
  /** The path or the query is too long. */
  URI_TOO_LONG(414, false, "The address is too long"),
  /** The media type of the body is not supported. */
  UNSUPPORTED_TYPE(415, false, "The body is of another type than what is taken"),
  /** The body did not arrive in time. The request had no effect. */
  TOO_SLOW(408, true, "The request took too long to come"),
  /** The caller has too many requests in progress. The request had no effect. */
  TOO_MANY_REQUESTS(429, true, "The caller asks for too much at once"),
  /** The headers are too long. */
  HEADERS_TOO_LARGE(431, false, "The headers are too long"),
  /** A defect of the service; its log has the {@code incident}. */
  INTERNAL(500, false, "The service is at fault"),
  /** Too many requests are in progress. The request had no effect. */
  BUSY(503, true, "Too much is under way"),
  /** The service is starting, stopping, or not ready. The request had no effect. */
  NOT_READY(503, true, "The service is not ready"),
  /** Too few sites answered. The request had no effect. */
  SITES_UNAVAILABLE(503, true, "Too few sites answered"),
  /** An iteration over the whole cache exceeds the deadline; a repeated one will, too. */
  WALK_TOO_LONG(503, false, "The cache is too large to be walked over"),
  /** An operation at a site failed. The step in {@code detail} was not done. */
  SITE_FAILED(503, true, "A site could not do it"),
  /** The catalog is unavailable. The request had no effect. */
  CATALOG_UNAVAILABLE(503, true, "The catalog cannot be had"),
  /** A record of the catalog cannot be read; an operator has to examine it. */
  CATALOG_CORRUPT(503, false, "A record of the catalog cannot be read"),
  /**
   * The request may have taken effect, may take effect later, or never. {@code retrySafe} says
   * whether the same request may be sent again without being applied twice. A repeated request may
   * overwrite later writes of others.
   */
  UNKNOWN_OUTCOME(504, false, "Nobody knows whether it was done");

  /** The problems that any route may answer with. */
  public static final List<ProblemType> EVERYWHERE =
      List.of(
          MALFORMED,
          INVALID_FIELD,
          UNAUTHENTICATED,
          FORBIDDEN,
          NOT_FOUND,
          METHOD_NOT_ALLOWED,
          TOO_LARGE,
          TOO_SLOW,
          TOO_MANY_REQUESTS,
          URI_TOO_LONG,
          HEADERS_TOO_LARGE,
          INTERNAL,
          BUSY,
          NOT_READY);

  /** The further problems of any route about sites, caches or their entries. */
  public static final List<ProblemType> OF_THE_CATALOG =
      List.of(
          CONFLICT,
          PRIVATE_CACHE,
          SITES_UNAVAILABLE,
          SITE_FAILED,
          CATALOG_UNAVAILABLE,
          CATALOG_CORRUPT);

  private final int status;
  private final boolean retrySafe;
  private final String title;

  ProblemType(int status, boolean retrySafe, String title) {
    this.status = status;
    this.retrySafe = retrySafe;
    this.title = title;
  }

  /** The status of the response. */
  public int status() {
    return status;
  }

  /** Whether the same request may be sent again, and may then succeed. */
  public boolean retrySafe() {
    return retrySafe;
  }

  /** The title, the same for each problem of this type. */
  public String title() {
    return title;
  }

  /** The name in addresses. */
  public String word() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** The address, relative to the service. */
  public String uri() {
    return "/problems/" + word();
  }
}
