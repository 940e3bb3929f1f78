package io.ensemble.site.hotrod;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.site.SiteException;
import io.ensemble.site.SiteException.Reason;
import io.ensemble.site.hotrod.configuration.SiteConfiguration;
import io.netty.handler.codec.DecoderException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.SocketTimeoutException;
import java.security.cert.CertificateException;
import java.security.cert.CertificateExpiredException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLHandshakeException;
import org.infinispan.client.hotrod.RemoteCacheManager;
import org.infinispan.client.hotrod.configuration.Configuration;
import org.infinispan.client.hotrod.exceptions.HotRodClientException;
import org.infinispan.client.hotrod.exceptions.RemoteIllegalLifecycleStateException;
import org.infinispan.client.hotrod.exceptions.RemoteNodeSuspectException;
import org.infinispan.client.hotrod.exceptions.TransportException;
import org.infinispan.client.hotrod.impl.operations.NoCachePingOperation;
import org.junit.jupiter.api.Test;

/** The exceptions are those that were observed in a 16.0.7 client. */
class HotRodExceptionMapperTest {

  private static SiteException told(Throwable thrown) {
    return HotRodExceptionMapper.toSiteException("lyon", "store=s request=read", thrown);
  }

  private static TransportException transport(Throwable cause) {
    return new TransportException(cause, null);
  }

  @Test
  void noConnectionIsUnreachable() {
    assertThat(told(transport(new ConnectException("Connection refused"))).reason())
        .isEqualTo(Reason.UNREACHABLE);
    assertThat(told(transport(new IOException("Connection reset"))).reason())
        .isEqualTo(Reason.UNREACHABLE);
  }

  @Test
  void aPermissionThatIsMissingIsNamedAndNothingElseOfTheRefusalIs() {
    String refusal =
        "ISPN000287: Unauthorized access: subject 'Subject with principal(s): [watch]' lacks 'READ'"
            + " permission";

    for (String type :
        new String[] {
          "java.lang.SecurityException: ", "org.infinispan.commons.CacheException: ", ""
        }) {
      SiteException told = told(new HotRodClientException(type + refusal, 1, 0x85));

      assertThat(told.reason()).isEqualTo(Reason.NOT_ALLOWED);
      assertThat(told).hasMessageContaining("missing=READ").hasMessageNotContaining("watch");
    }
    String named = "java.lang.IllegalStateException: no key 'ISPN000287:' lacks 'READ' permission";
    assertThat(told(new HotRodClientException(named, 1, 0x85)).reason()).isEqualTo(Reason.FAILED);
  }

  @Test
  void aTimeoutIsOneHoweverItIsWrapped() {
    SocketTimeoutException timeout = new SocketTimeoutException("timed out after 2000 ms");

    assertThat(told(timeout).reason()).isEqualTo(Reason.TIMED_OUT);
    assertThat(told(new CompletionException(timeout)).reason()).isEqualTo(Reason.TIMED_OUT);
    assertThat(told(transport(timeout)).reason()).isEqualTo(Reason.TIMED_OUT);
  }

  @Test
  void aTimeoutWithinTheSiteIsOneToo() {
    HotRodClientException lock =
        new HotRodClientException(
            "org.infinispan.commons.TimeoutException: ISPN000299: Unable to acquire lock", 1, 0x86);

    assertThat(told(lock).reason()).isEqualTo(Reason.TIMED_OUT);
  }

  @Test
  void aNodeThatStartsOrEndsOrLosesAnotherIsUnreachableForNow() {
    String told = "ISPN000323: Cache 's' is in 'TERMINATED' state";

    assertThat(told(new RemoteIllegalLifecycleStateException(told, 1, (short) 0x88, null)).reason())
        .isEqualTo(Reason.UNREACHABLE);
    assertThat(told(new RemoteNodeSuspectException("node 2 left", 1, (short) 0x87)).reason())
        .isEqualTo(Reason.UNREACHABLE);
  }

  @Test
  void aCacheThatIsMissingIsLost() {
    HotRodClientException missing =
        new HotRodClientException(
            "org.infinispan.server.hotrod.CacheNotFoundException: Cache with name 's' not found");

    assertThat(told(missing).reason()).isEqualTo(Reason.STORE_LOST);
    assertThat(told(missing)).hasMessageContaining("store=s request=read").hasCause(missing);
  }

  @Test
  void whoIsNotTrustedIsNotAllowed() {
    assertThat(told(transport(new SSLHandshakeException("no path"))).reason())
        .isEqualTo(Reason.NOT_ALLOWED);
    assertThat(
            told(new HotRodClientException(
                    "java.lang.SecurityException: ISPN006017: Operation 'PING' requires"))
                .reason())
        .isEqualTo(Reason.NOT_ALLOWED);
  }

  @Test
  void whatIsNotTrustedIsToldAndNotOnlyThatAChannelWasClosed() {
    TransportException closed =
        new TransportException(
            "Closing channel", transport(new SSLHandshakeException("no name")), null);

    assertThat(told(closed)).hasMessageContaining("no name").hasCause(closed);
  }

  /** These are the messages of a client with netty-tcnative on its class path. */
  @Test
  void anAlertThatRefusesUsIsNotAllowedWhateverTlsReadsIt() {
    for (String alert :
        List.of(
            "error:10000412:SSL routines:OPENSSL_internal:SSLV3_ALERT_BAD_CERTIFICATE",
            "error:10000416:SSL routines:OPENSSL_internal:SSLV3_ALERT_CERTIFICATE_UNKNOWN",
            "error:1000045c:SSL routines:OPENSSL_internal:TLSV1_ALERT_CERTIFICATE_REQUIRED",
            "error:0A000418:SSL routines::tlsv1 alert unknown ca",
            "error:14094412:SSL routines:ssl3_read_bytes:sslv3 alert bad certificate")) {
      SiteException told =
          told(
              new TransportException(
                  "Closing channel", new DecoderException(new SSLException(alert)), null));

      assertThat(told.reason()).as(alert).isEqualTo(Reason.NOT_ALLOWED);
      assertThat(told).hasMessageContaining(alert);
    }
    String record = "error:100000fc:SSL routines:OPENSSL_internal:DECRYPTION_FAILED_OR_BAD_RECORD";
    assertThat(told(transport(new SSLException(record))).reason()).isEqualTo(Reason.UNREACHABLE);
  }

  @Test
  void whatIsWrongWithACertificateIsToldThoughTheHandshakesFailureDoesNotSayIt() {
    SSLHandshakeException openSsl = new SSLHandshakeException("General OpenSslEngine problem");
    openSsl.initCause(new CertificateExpiredException("NotAfter: yesterday"));

    assertThat(told(transport(openSsl)))
        .hasMessageContaining("General OpenSslEngine problem")
        .hasMessageContaining("NotAfter: yesterday");
    assertThat(told(transport(new CertificateException("no path"))).reason())
        .isEqualTo(Reason.NOT_ALLOWED);
  }

  @Test
  void aConnectionThatBreaksAfterTheHandshakeMayHaveCarriedTheRequest() {
    assertThat(told(transport(new SSLException("closing inbound before close_notify"))).reason())
        .isEqualTo(Reason.UNREACHABLE);
  }

  /** Gives access to a ping of the client, for a request whose connection is refused. */
  private static final class Client extends RemoteCacheManager {
    Client(Configuration configuration) {
      super(configuration, false);
    }

    CompletionStage<?> ping() {
      return getOperationDispatcher().execute(new NoCachePingOperation());
    }
  }

  @Test
  void whatWaitedForAConnectionThatIsRefusedWasCertainlyNotSent() throws IOException {
    ServerSocket nobody = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    nobody.close();
    SiteConfiguration site =
        SiteConfiguration.builder("lyon").endpoint("127.0.0.1:" + nobody.getLocalPort()).build();
    try (Client client = new Client(ClientConfiguration.of(site, Duration.ofSeconds(10)))) {
      client.start();

      assertThat(client.ping().toCompletableFuture())
          .failsWithin(Duration.ofSeconds(60))
          .withThrowableThat()
          .satisfies(
              failure -> {
                assertThat(told(failure).isNotSent()).isTrue();
                assertThat(told(new CompletionException(failure)).isNotSent()).isTrue();
                assertThat(told(failure).reason()).isEqualTo(Reason.UNREACHABLE);
              });
    }
  }

  @Test
  void noTypeOfAFailureSaysThatTheRequestWasNotSent() {
    ConnectException refused = new ConnectException("Connection refused");
    assertThat(told(refused).isNotSent()).isFalse();
    assertThat(told(transport(refused)).isNotSent()).isFalse();
    assertThat(told(new TransportException("Closing channel", refused, null)).isNotSent())
        .isFalse();
    assertThat(told(new RejectedExecutionException()).isNotSent()).isFalse();
    assertThat(told(new HotRodClientException("ISPN000904: no store")).isNotSent()).isFalse();
    assertThat(told(transport(new IOException("Connection reset"))).isNotSent()).isFalse();
    assertThat(told(transport(new IOException("retried", refused))).isNotSent()).isFalse();
    assertThat(told(transport(new SSLException("closing inbound"))).isNotSent()).isFalse();
    assertThat(told(transport(new SSLHandshakeException("no path"))).isNotSent()).isFalse();
    assertThat(told(new HotRodClientException("ConnectException: x")).isNotSent()).isFalse();
    assertThat(told(new SocketTimeoutException("connect timed out")).isNotSent()).isFalse();
  }

  @Test
  void ofACommandARefusedConnectionAndAFullQueueAreKnown() {
    HotRodResponses replies = new HotRodResponses("lyon");
    CompletionStage<?> refused =
        replies.command(
            "request=open",
            Runnable::run,
            () -> {
              throw transport(new ConnectException("Connection refused"));
            });
    CompletionStage<?> full =
        replies.command(
            "request=open",
            task -> {
              throw new RejectedExecutionException();
            },
            () -> "never");

    assertThat(failure(refused).isNotSent()).isTrue();
    assertThat(failure(refused).reason()).isEqualTo(Reason.UNREACHABLE);
    assertThat(failure(full).isNotSent()).isTrue();
    assertThat(failure(full).reason()).isEqualTo(Reason.BUSY);
    assertThat(failure(full)).hasMessageContaining("request=open");
  }

  private static SiteException failure(CompletionStage<?> stage) {
    return (SiteException) stage.handle((done, failure) -> failure).toCompletableFuture().join();
  }

  @Test
  void namesThatUsersChoseDecideNothing() {
    String odd = "ISPN000001: cache 'CacheNotFoundException: SecurityException' is slow";

    assertThat(told(new HotRodClientException(odd)).reason()).isEqualTo(Reason.FAILED);
  }

  @Test
  void aDegradedCacheIsSaidToBeAndOtherErrorsFail() {
    assertThat(
            told(new HotRodClientException(
                    "org.infinispan.partitionhandling.AvailabilityException: ISPN000306: Key"))
                .reason())
        .isEqualTo(Reason.DEGRADED);
    assertThat(told(new HotRodClientException("anything")).reason()).isEqualTo(Reason.FAILED);
    assertThat(told(new RejectedExecutionException()).reason()).isEqualTo(Reason.UNREACHABLE);
  }

  @Test
  void oursPassesThroughAndRingsOfCausesEnd() {
    SiteException ours = new SiteException("lyon", Reason.UNSUITABLE, "two nodes");
    IOException one = new IOException("one");
    one.initCause(new IOException("two", one));

    assertThat(told(new CompletionException(ours))).isSameAs(ours);
    assertThat(told(one).reason()).isEqualTo(Reason.FAILED);
  }
}
