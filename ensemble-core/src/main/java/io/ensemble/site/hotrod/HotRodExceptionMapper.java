package io.ensemble.site.hotrod;

import io.ensemble.site.SiteException;
import io.ensemble.site.SiteException.Reason;
import java.io.IOException;
import java.net.ConnectException;
import java.net.SocketTimeoutException;
import java.security.cert.CertificateException;
import java.util.Arrays;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLHandshakeException;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.security.sasl.SaslException;
import org.infinispan.client.hotrod.exceptions.RemoteCacheManagerNotStartedException;
import org.infinispan.client.hotrod.exceptions.RemoteIllegalLifecycleStateException;
import org.infinispan.client.hotrod.exceptions.RemoteNodeSuspectException;
import org.infinispan.client.hotrod.exceptions.TransportException;
import org.jspecify.annotations.Nullable;

/**
 * Converts exceptions of the Hot Rod client. Errors of the server come as one type with the
 * server's type in the message, so only the messages distinguish them.
 */
final class HotRodExceptionMapper {

  /** The beginning of a server's message: a class or a code. */
  private static final Pattern FIRST_WORD = Pattern.compile("^[\\w.$]+");

  /** The message to an authenticated user without the required permission. */
  private static final Pattern NO_PERMISSION = Pattern.compile("^([\\w.$]+: )?ISPN000287:");

  private static final Pattern PERMISSION = Pattern.compile("lacks '([A-Z_]{1,32})' permission");

  /**
   * OpenSSL's message when the peer rejects this client by an alert. In TLS 1.3 the alert comes
   * after this side of the handshake, so that its type is not that of a handshake failure. The
   * words differ with the version.
   */
  private static final Pattern REFUSING_ALERT =
      Pattern.compile(
          "SSL routines:.*(NO|BAD|UNSUPPORTED)[ _]CERTIFICATE"
              + "|SSL routines:.*CERTIFICATE[ _](REVOKED|EXPIRED|UNKNOWN|REQUIRED)"
              + "|SSL routines:.*(UNKNOWN[ _]CA|ACCESS[ _]DENIED|DECRYPT[ _]ERROR)"
              + "|SSL routines:.*(HANDSHAKE[ _]FAILURE|PROTOCOL[ _]VERSION|UNRECOGNIZED[ _]NAME)"
              + "|SSL routines:.*INSUFFICIENT[ _]SECURITY",
          Pattern.CASE_INSENSITIVE);

  private static final int LONGEST_CHAIN = 16;

  /** The class in which the client abandons a connection that it could not set up. */
  private static final String CONNECTING =
      "org.infinispan.client.hotrod.impl.transport.netty.OperationChannel";

  private static final String CONNECT_FAILED = "handleError";

  private HotRodExceptionMapper() {}

  /** The exception for a request to a store. */
  static SiteException toSiteException(String site, String what, Throwable failure) {
    Throwable thrown = unwrapped(failure);
    return toSiteException(site, what, thrown, wasThrownWhileConnecting(thrown));
  }

  /**
   * The exception for a command or a ping, which change no entry, so that no write depends on
   * whether it was sent. A refused connection means that no process listens, wherever the client
   * threw it.
   */
  static SiteException ofCommand(String site, String what, Throwable failure) {
    Throwable thrown = unwrapped(failure);
    return toSiteException(
        site,
        what,
        thrown,
        isRefusedConnection(thrown) || anyCause(thrown, HotRodExceptionMapper::isStoreUnusable));
  }

  private static Throwable unwrapped(Throwable failure) {
    Throwable thrown = failure;
    while ((thrown instanceof CompletionException || thrown instanceof ExecutionException)
        && thrown.getCause() != null) {
      thrown = thrown.getCause();
    }
    return thrown;
  }

  private static SiteException toSiteException(
      String site, String what, Throwable thrown, boolean notSent) {
    if (thrown instanceof SiteException known) {
      return known;
    }
    Reason reason = reason(thrown);
    // After a wrong password or certificate, the outermost exception says only what closes a
    // channel.
    Throwable told =
        reason == Reason.NOT_ALLOWED ? cause(thrown, HotRodExceptionMapper::isRefusal) : thrown;
    Throwable forbidden = cause(thrown, HotRodExceptionMapper::isPermissionMissing);
    String detail = explain(reason) + ": " + told + describeCertificate(told) + "; " + what;
    if (anyCause(thrown, HotRodExceptionMapper::isStoreUnusable)) {
      detail =
          "the configured trust store or key store cannot be "
              + "used: "
              + root(thrown)
              + "; "
              + what;
    } else if (forbidden != null) {
      detail =
          "the site does not permit this request to the configured "
              + "user; "
              + missing(forbidden)
              + what;
    }
    return notSent
        ? SiteException.notSent(site, reason, detail, thrown)
        : new SiteException(site, reason, detail, thrown);
  }

  /** Whether there was no response, as far as {@code failure} shows. */
  static boolean isSilence(String site, Throwable failure) {
    Reason reason = toSiteException(site, "", failure).reason();
    return reason == Reason.UNREACHABLE || reason == Reason.TIMED_OUT;
  }

  /**
   * Whether the client threw this exception where it abandons a connection that it could not set
   * up. The client then fails the requests that waited for that connection, and repeats none, so no
   * request was sent. Requests that were sent fail elsewhere, perhaps with an exception of the same
   * type and cause. With a client of another version that does this elsewhere, such requests have
   * an unknown outcome.
   */
  private static boolean wasThrownWhileConnecting(Throwable thrown) {
    return thrown instanceof TransportException
        && Arrays.stream(thrown.getStackTrace())
            .anyMatch(
                at ->
                    at.getClassName().equals(CONNECTING)
                        && at.getMethodName().equals(CONNECT_FAILED));
  }

  private static boolean isRefusedConnection(Throwable thrown) {
    return thrown instanceof ConnectException
        || (thrown instanceof TransportException && thrown.getCause() instanceof ConnectException);
  }

  private static Reason reason(Throwable thrown) {
    if (anyCause(thrown, HotRodExceptionMapper::isRefusal)) {
      return Reason.NOT_ALLOWED;
    }
    if (anyCause(thrown, cause -> mentions(cause, "CacheNotFoundException"))) {
      return Reason.STORE_LOST;
    }
    if (anyCause(thrown, cause -> mentions(cause, "AvailabilityException"))) {
      return Reason.DEGRADED;
    }
    if (anyCause(thrown, HotRodExceptionMapper::isTimeout)) {
      return Reason.TIMED_OUT;
    }
    if (anyCause(thrown, HotRodExceptionMapper::isNoConnection)) {
      return Reason.UNREACHABLE;
    }
    return Reason.FAILED;
  }

  /** The fault of a certificate, where {@code told} itself does not name it. */
  private static String describeCertificate(@Nullable Throwable told) {
    if (told == null) {
      return "";
    }
    Throwable why = cause(told, CertificateException.class::isInstance);
    boolean isTold =
        why == null
            || why == told
            || String.valueOf(told.getMessage()).contains(String.valueOf(why.getMessage()));
    return isTold ? "" : ": " + why;
  }

  private static boolean isRefusal(Throwable cause) {
    return cause instanceof SSLHandshakeException
        || cause instanceof CertificateException
        || (cause instanceof SSLException
            && REFUSING_ALERT.matcher(String.valueOf(cause.getMessage())).find())
        || cause instanceof SSLPeerUnverifiedException
        || cause instanceof SaslException
        || cause instanceof SecurityException
        || mentions(cause, "SecurityException")
        || isPermissionMissing(cause)
        || mentions(cause, "SaslException")
        || isStoreUnusable(cause)
        || mentions(cause, "ISPN006017") // the operation requires authentication
        || mentions(cause, "ISPN004031"); // the server does not offer the mechanism
  }

  /** A problem of a local trust store or key store, or of its password; no request was sent. */
  private static boolean isStoreUnusable(Throwable cause) {
    return mentions(cause, "ISPN000904");
  }

  /** The message of a store's reader; the causes below it concern ciphers. */
  private static String root(Throwable thrown) {
    Throwable io = cause(thrown, cause -> cause instanceof IOException);
    return String.valueOf((io == null ? thrown : io).getMessage());
  }

  private static String missing(Throwable forbidden) {
    Matcher permission = PERMISSION.matcher(String.valueOf(forbidden.getMessage()));
    return permission.find() ? "missing=" + permission.group(1) + " " : "";
  }

  private static boolean isPermissionMissing(Throwable cause) {
    return NO_PERMISSION.matcher(String.valueOf(cause.getMessage())).find();
  }

  private static boolean isTimeout(Throwable cause) {
    return cause instanceof SocketTimeoutException
        || cause instanceof TimeoutException
        || mentions(cause, "TimeoutException"); // within the site, for a lock or another node
  }

  private static boolean isNoConnection(Throwable cause) {
    return cause instanceof TransportException
        || cause instanceof RemoteCacheManagerNotStartedException // another client replaces it
        || cause instanceof RejectedExecutionException // as well, perhaps with the request sent
        || cause instanceof RemoteIllegalLifecycleStateException // it is starting or ending
        || cause instanceof RemoteNodeSuspectException
        || mentions(cause, "IllegalLifecycleStateException");
  }

  /**
   * Whether the message has this class or code at its beginning, where servers put it. The rest may
   * hold names that users chose.
   */
  private static boolean mentions(Throwable cause, String word) {
    Matcher first = FIRST_WORD.matcher(String.valueOf(cause.getMessage()));
    return first.find() && first.group().contains(word);
  }

  private static boolean anyCause(Throwable thrown, Predicate<Throwable> matches) {
    return cause(thrown, matches) != null;
  }

  private static @Nullable Throwable cause(Throwable thrown, Predicate<Throwable> matches) {
    Throwable cause = thrown;
    for (int i = 0; cause != null && i < LONGEST_CHAIN; i++) {
      if (matches.test(cause)) {
        return cause;
      }
      cause = cause.getCause();
    }
    return null;
  }

  private static String explain(Reason reason) {
    return switch (reason) {
      case NOT_ALLOWED -> "authentication or TLS handshake failed";
      case STORE_LOST -> "the site does not have the store";
      case DEGRADED ->
          "the store is in DEGRADED mode (partition handling): too many nodes are missing";
      case TIMED_OUT -> "the site did not answer in time";
      case UNREACHABLE -> "no node of the site accepted and answered the request";
      case BUSY, DELETED, UNSUITABLE, FAILED -> "the site failed";
    };
  }
}
