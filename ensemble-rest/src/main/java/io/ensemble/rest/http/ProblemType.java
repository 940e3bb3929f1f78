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
  INVALID_FIELD(422, false, "A field has an invalid value"),
  /** The caller is not authenticated. */
  UNAUTHENTICATED(401, false, "Authentication is required"),
  /** The caller lacks the permission. */
  FORBIDDEN(403, false, "The request is not permitted"),
  /** The thing does not exist. */
  NOT_FOUND(404, false, "The resource does not exist"),
  /** The thing exists, but does not support this method. */
  METHOD_NOT_ALLOWED(405, false, "The method is not supported"),
  /** The thing has no representation in a requested type. */
  NOT_ACCEPTABLE(406, false, "The requested media type is not available"),
  /** The request conflicts with the present state. */
  CONFLICT(409, false, "The request conflicts with the present state"),
  /** A thing of that name exists with other settings; for sites, {@code differences} names them. */
  EXISTS_WITH_OTHER_SETTINGS(409, false, "The resource exists with other settings"),
  /** A cache is being changed. */
  CHANGE_IN_PROGRESS(409, true, "A change is in progress"),
  /** A site has caches, named in {@code caches}. */
  SITE_IN_USE(409, false, "The site is in use"),
  /** No sites satisfy the placement policy; {@code reasons} gives the reason for each site. */
  PLACEMENT_IMPOSSIBLE(409, false, "Too few sites may hold the cache"),
  /**
   * The cache is private, and this service cannot read or write it; {@code reason} gives the
   * reason.
   */
  PRIVATE_CACHE(409, false, "The cache is private"),
  /** SWMR: another process is the cache's writer. The request had no effect. */
  WRITER_PRESENT(409, true, "Another process is the writer"),
  /** The lock was not acquired in the given time. The caller does not hold the lock. */
  LOCK_HELD(409, true, "Another holder has the lock"),
  /** The holder no longer holds the lock, or never did. */
  LEASE_LOST(409, false, "The lock is not held"),
  /** An Idempotency-Key was used again with another request. The request had no effect. */
  IDEMPOTENCY_KEY_REUSED(422, false, "The key belongs to another request"),
  /** The resource cannot keep the guarantee of an Idempotency-Key. The request had no effect. */
  IDEMPOTENCY_UNSUPPORTED(422, false, "An Idempotency-Key is not supported here"),
  /** The thing existed, and was compacted away. */
  GONE(410, false, "The version was compacted"),
  /** The entry does not satisfy the precondition. The request had no effect. */
  PRECONDITION_FAILED(412, false, "The precondition failed"),
  /** The request exceeds a size limit. */
  TOO_LARGE(413, false, "The content is too large"),
  /** The path or the query is too long. */
  URI_TOO_LONG(414, false, "The address is too long"),
  /** The media type of the body is not supported. */
  UNSUPPORTED_TYPE(415, false, "The media type of the body is not supported"),
  /** The body did not arrive in time. The request had no effect. */
  REQUEST_TIMEOUT(408, true, "The request was not received in time"),
  /** The caller has too many requests in progress. The request had no effect. */
  TOO_MANY_REQUESTS(429, true, "The caller has too many requests in progress"),
  /** The headers are too long. */
  HEADERS_TOO_LARGE(431, false, "The headers are too long"),
  /** A defect of the service; its log has the {@code incident}. */
  INTERNAL(500, false, "The service failed with an internal error"),
  /** Too many requests are in progress. The request had no effect. */
  BUSY(503, true, "Too many requests are in progress"),
  /** The service is starting, stopping, or not ready. The request had no effect. */
  NOT_READY(503, true, "The service is not ready"),
  /** Too few sites answered. The request had no effect. */
  SITES_UNAVAILABLE(503, true, "Too few sites answered"),
  /** An operation at a site failed. The step in {@code detail} was not done. */
  SITE_FAILED(503, true, "A request to a site failed"),
  /** The catalog is unavailable. The request had no effect. */
  CATALOG_UNAVAILABLE(503, true, "The catalog is unavailable"),
  /** A record of the catalog cannot be read; an operator has to examine it. */
  CATALOG_CORRUPT(503, false, "A record of the catalog cannot be read"),
  /**
   * The request may have taken effect, may take effect later, or never. {@code retrySafe} says
   * whether the same request may be sent again without being applied twice. A repeated request may
   * overwrite later writes of others.
   */
  UNKNOWN_OUTCOME(504, false, "The outcome is unknown");

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
          REQUEST_TIMEOUT,
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
