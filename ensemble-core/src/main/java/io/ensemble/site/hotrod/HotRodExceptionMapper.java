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
 * Tells what the Hot Rod client throws in our own terms. Errors of the server come as one type with
 * the server's type in the message, so messages are what there is to tell them apart by.
 */
final class HotRodExceptionMapper {

  /** What a server's message begins with: a class or a code. */
  private static final Pattern FIRST_WORD = Pattern.compile("^[\\w.$]+");

  /** What it tells a user whom it knows, and who may not do it. */
  private static final Pattern NO_PERMISSION = Pattern.compile("^([\\w.$]+: )?ISPN000287:");

  private static final Pattern PERMISSION = Pattern.compile("lacks '([A-Z_]{1,32})' permission");

  /**
   * What OpenSSL says where the peer refuses us by an alert: in TLS 1.3 that comes after our side
   * of the handshake, so that its type is no handshake's. The words differ with the version.
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

  /** Where the client gives up a connection that it could not make. */
  private static final String CONNECTING =
      "org.infinispan.client.hotrod.impl.transport.netty.OperationChannel";

  private static final String GIVING_UP = "handleError";

  private HotRodExceptionMapper() {}

  /** Of a request to a store. */
  static SiteException toSiteException(String site, String what, Throwable failure) {
    Throwable thrown = unwrapped(failure);
    return toSiteException(site, what, thrown, wasThrownWhileConnecting(thrown));
  }

  /**
   * Of a command or a hail, which change no entry: no write's outcome hangs on whether it was sent.
   * A refused connection tells that nobody listens, wherever the client threw it.
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
    // What closes a channel is all that the outermost tells of a wrong password or certificate.
    Throwable told =
        reason == Reason.NOT_ALLOWED ? cause(thrown, HotRodExceptionMapper::isRefusal) : thrown;
    Throwable forbidden = cause(thrown, HotRodExceptionMapper::isPermissionMissing);
    String detail = explain(reason) + ": " + told + describeCertificate(told) + "; " + what;
    if (anyCause(thrown, HotRodExceptionMapper::isStoreUnusable)) {
      detail = "our trust store or key store cannot be used: " + root(thrown) + "; " + what;
    } else if (forbidden != null) {
      detail =
          "the site does not permit this to the user that we are; " + missing(forbidden) + what;
    }
    return notSent
        ? SiteException.notSent(site, reason, detail, thrown)
        : new SiteException(site, reason, detail, thrown);
  }

  /** Whether nobody answered, as far as {@code failure} tells. */
  static boolean isSilence(String site, Throwable failure) {
    Reason reason = toSiteException(site, "", failure).reason();
    return reason == Reason.UNREACHABLE || reason == Reason.TIMED_OUT;
  }

  /**
   * Whether the client threw this where it gives up a connection that it could not make: it then
   * fails what waited for that connection, and repeats nothing by itself, so nothing was sent. What
   * was sent it fails elsewhere, perhaps with an exception of the same type and cause. A client of
   * another version that does this elsewhere makes such requests ones of unknown fate.
   */
  private static boolean wasThrownWhileConnecting(Throwable thrown) {
    return thrown instanceof TransportException
        && Arrays.stream(thrown.getStackTrace())
            .anyMatch(
                at -> at.getClassName().equals(CONNECTING) && at.getMethodName().equals(GIVING_UP));
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

  /** What is wrong with a certificate, where {@code told} itself does not say it. */
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
        || mentions(cause, "ISPN006017") // the operation wants authentication
        || mentions(cause, "ISPN004031"); // the server does not offer the mechanism
  }

  /** A file of ours, of its password; nothing was sent. */
  private static boolean isStoreUnusable(Throwable cause) {
    return mentions(cause, "ISPN000904");
  }

  /** What a store's reader says; what lies below it is of ciphers. */
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
        || cause instanceof RemoteCacheManagerNotStartedException // another client takes its place
        || cause instanceof RejectedExecutionException // as well, perhaps with the request sent
        || cause instanceof RemoteIllegalLifecycleStateException // it starts, or ends
        || cause instanceof RemoteNodeSuspectException
        || mentions(cause, "IllegalLifecycleStateException");
  }

  /**
   * Whether the message names this class or code where servers put it, in front: what follows may
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
      case NOT_ALLOWED -> "the site and we do not trust each other";
      case STORE_LOST -> "the site does not have the store";
      case DEGRADED -> "the store misses too many of its nodes and refuses everyone";
      case TIMED_OUT -> "the site did not answer in time";
      case UNREACHABLE -> "no node of the site could take it or answer it";
      case BUSY, DELETED, UNSUITABLE, FAILED -> "the site failed";
    };
  }
}
