package io.ensemble.benchmarks.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ensemble.site.SiteException;
import io.ensemble.site.SiteException.Reason;
import java.net.ConnectException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ConnectionAttemptsTest {

  private static final Duration ATTEMPT = Duration.ofSeconds(5);

  private final AtomicLong clock = new AtomicLong(17);
  private final AtomicInteger made = new AtomicInteger();

  /** Every attempt takes five seconds, like an attempt without a response. */
  private <T> Supplier<T> attempt(Supplier<T> outcome) {
    return () -> {
      made.incrementAndGet();
      clock.addAndGet(ATTEMPT.toNanos());
      return outcome.get();
    };
  }

  private ConnectionAttempts within(Duration deadline) {
    return new ConnectionAttempts(deadline, clock::get, () -> clock.addAndGet(1));
  }

  private static RuntimeException failure(Reason reason) {
    return new IllegalStateException("not created", new SiteException("lyon", reason, "no answer"));
  }

  @ParameterizedTest
  @EnumSource(names = {"UNREACHABLE", "TIMED_OUT"})
  void aSiteThatAnswersLateIsConnectedTo(Reason reason) {
    String connected =
        within(Duration.ofSeconds(30))
            .connect(
                attempt(
                    () -> {
                      if (made.get() < 4) {
                        throw failure(reason);
                      }
                      return "connected";
                    }));

    assertThat(connected).isEqualTo("connected");
    assertThat(made).hasValue(4);
  }

  @Test
  void theLastFailureIsReportedAfterTheDeadline() {
    assertThatThrownBy(
            () ->
                within(Duration.ofSeconds(12))
                    .connect(
                        attempt(
                            () -> {
                              throw failure(Reason.UNREACHABLE);
                            })))
        .hasMessage("not created");
    assertThat(made).hasValue(3);
  }

  @Test
  void aDeadlineOfZeroAllowsOneAttempt() {
    assertThatThrownBy(
            () ->
                within(Duration.ZERO)
                    .connect(
                        attempt(
                            () -> {
                              throw failure(Reason.TIMED_OUT);
                            })))
        .hasRootCauseInstanceOf(SiteException.class);
    assertThat(made).hasValue(1);
  }

  @Test
  void aRefusedConnectionIsReportedImmediately() {
    SiteException refused =
        new SiteException(
            "lyon",
            Reason.UNREACHABLE,
            "no connection",
            new ConnectException("Connection refused: /127.0.0.1:1"));

    assertThatThrownBy(
            () ->
                within(Duration.ofSeconds(30))
                    .connect(
                        attempt(
                            () -> {
                              throw refused;
                            })))
        .isSameAs(refused);
    assertThat(made).hasValue(1);
  }

  @ParameterizedTest
  @EnumSource(
      names = {"UNREACHABLE", "TIMED_OUT"},
      mode = EnumSource.Mode.EXCLUDE)
  void anAnswerThatIsAFailureIsReportedImmediately(Reason reason) {
    assertThatThrownBy(
            () ->
                within(Duration.ofSeconds(30))
                    .connect(
                        attempt(
                            () -> {
                              throw failure(reason);
                            })))
        .hasMessage("not created");
    assertThat(made).hasValue(1);
  }
}
