package io.ensemble.rest.http;

import java.util.List;
import java.util.Locale;

/**
 * The kinds of problems that there are (RFC 9457). Their names are promised: a client may decide by
 * {@code type}, which is {@code /problems/NAME}.
 *
 * <p>Three families, never mixed: mistakes of the caller, refusals, which certainly had no effect,
 * and unknown outcomes, which may have had one.
 */
public enum ProblemType {
  /** The path, the query, a header or the JSON cannot be read. */
  MALFORMED(400, false, "The request cannot be read"),
  /** A field, parameter or header has a value that cannot be meant; {@code field} says which. */
  INVALID_FIELD(422, false, "A field has a value that it cannot have"),
  /** Who asks has not said who they are. */
  UNAUTHENTICATED(401, false, "Who asks is not known"),
  /** Who asks may not. */
  FORBIDDEN(403, false, "Who asks may not do this"),
  /** There is no such thing. */
  NOT_FOUND(404, false, "There is no such thing"),
  /** There is the thing, but this cannot be done to it. */
  METHOD_NOT_ALLOWED(405, false, "This cannot be done to it"),
  /** What is there has no form that was asked for. */
  NOT_ACCEPTABLE(406, false, "There is no such form of it"),
  /** What is there is in the way. */
  CONFLICT(409, false, "What is there is in the way"),
  /**
   * There is a thing of that name, with other settings; of sites {@code differences} says which.
   */
  EXISTS_OTHERWISE(409, false, "It exists with other settings"),
  /** A cache is being changed. */
  CHANGE_UNDER_WAY(409, true, "A change is under way"),
  /** A site has caches, named in {@code caches}. */
  SITE_IN_USE(409, false, "The site is in use"),
  /** No sites keep the conditions; {@code reasons} says of each why. */
  PLACEMENT_IMPOSSIBLE(409, false, "Too few sites may hold it"),
  /** The cache is private, and this service cannot read or write in it; {@code reason} says why. */
  PRIVATE_CACHE(409, false, "The cache is private"),
  /** SWMR: another process is the cache's writer. Nothing was done. */
  WRITER_PRESENT(409, true, "Another process is the writer"),
  /** The lock is not to be had in the time that was given. Nothing is held. */
  LOCK_HELD(409, true, "Somebody holds the lock"),
  /** The holder holds the lock no more, or never did. */
  LEASE_LOST(409, false, "The lock is not held"),
  /** An Idempotency-Key came a second time, with another request. Nothing was done. */
  IDEMPOTENCY_KEY_REUSED(422, false, "The key is another request's"),
  /** Nobody could keep what an Idempotency-Key promises here. Nothing was done. */
  IDEMPOTENCY_UNSUPPORTED(422, false, "An Idempotency-Key is not kept here"),
  /** It was there, and was compacted away. */
  GONE(410, false, "It was compacted away"),
  /** The entry is not the one that the precondition names. Nothing was done. */
  PRECONDITION_FAILED(412, false, "The precondition does not hold"),
  /** More than what is let in. */
  TOO_LARGE(413, false, "It is too large"),
  /** The path or the query is too long. */
  URI_TOO_LONG(414, false, "The address is too long"),
  /** The body is of a type that is not taken. */
  UNSUPPORTED_TYPE(415, false, "The body is of another type than what is taken"),
  /** The body did not come in time. Nothing was done. */
  TOO_SLOW(408, true, "The request took too long to come"),
  /** The caller has too many requests under way. Nothing was done. */
  TOO_MANY_REQUESTS(429, true, "The caller asks for too much at once"),
  /** The headers are too long. */
  HEADERS_TOO_LARGE(431, false, "The headers are too long"),
  /** The service itself is at fault; its log has the {@code incident}. */
  INTERNAL(500, false, "The service is at fault"),
  /** Too much is under way. Nothing was done. */
  BUSY(503, true, "Too much is under way"),
  /** The service is starting, stopping, or not ready. Nothing was done. */
  NOT_READY(503, true, "The service is not ready"),
  /** Too few sites answered. Nothing was done. */
  SITES_UNAVAILABLE(503, true, "Too few sites answered"),
  /** A walk over the whole cache takes longer than may be waited for; a repeated one will, too. */
  WALK_TOO_LONG(503, false, "The cache is too large to be walked over"),
  /** A site could not do it. What is said in {@code detail} was not done. */
  SITE_FAILED(503, true, "A site could not do it"),
  /** The catalog cannot be had. Nothing was done. */
  CATALOG_UNAVAILABLE(503, true, "The catalog cannot be had"),
  /** A record of the catalog cannot be read; somebody has to look at it. */
  CATALOG_CORRUPT(503, false, "A record of the catalog cannot be read"),
  /**
   * It was perhaps done, may still be, or never will. {@code retrySafe} says whether the same
   * request may be sent again without doing it twice; it may overwrite what others did since.
   */
  UNKNOWN_OUTCOME(504, false, "Nobody knows whether it was done");

  /** What any route may answer with. */
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

  /** What any route may answer with besides that is about sites, caches or what is in them. */
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

  /** The status of the answer. */
  public int status() {
    return status;
  }

  /** Whether the same request may be sent again, and may succeed then. */
  public boolean retrySafe() {
    return retrySafe;
  }

  /** The same words for each problem of this type. */
  public String title() {
    return title;
  }

  /** Its name in addresses. */
  public String word() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** Its address, relative to the service. */
  public String uri() {
    return "/problems/" + word();
  }
}
