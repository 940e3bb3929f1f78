package io.ensemble.maintenance;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.RecordingLogger;
import io.ensemble.catalog.record.CatalogException;
import io.ensemble.site.SiteException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;

class MaintenanceFailureLogTest {

  private final List<String> lines = new ArrayList<>();
  private final MaintenanceFailureLog maintenanceFailureLog =
      new MaintenanceFailureLog(new RecordingLogger(lines), "oslo");

  @Test
  void whatFailsAgainAndAgainIsToldOnce() {
    for (int i = 0; i < 5; i++) {
      maintenanceFailureLog.failed(
          new MaintenanceFailureLog.Step("d2", "repair"), new IllegalStateException("again " + i));
    }
    maintenanceFailureLog.failed(
        new MaintenanceFailureLog.Step("d2", "compare"), new IllegalStateException("another step"));
    maintenanceFailureLog.failed(
        new MaintenanceFailureLog.Step("d2", "repair"),
        new IllegalArgumentException("another reason"));
    maintenanceFailureLog.succeeded(new MaintenanceFailureLog.Step("d2", "repair"));
    maintenanceFailureLog.succeeded(new MaintenanceFailureLog.Step("d2", "repair"));
    maintenanceFailureLog.failed(
        new MaintenanceFailureLog.Step("d2", "repair"), new IllegalArgumentException("anew"));

    assertThat(lines)
        .containsExactly(
            "WARN maintenance failed, retrying; site=oslo of=d2 what=repair",
            "WARN maintenance failed, retrying; site=oslo of=d2 what=compare",
            "WARN maintenance failed, retrying; site=oslo of=d2 what=repair",
            "INFO maintenance succeeds again; site=oslo of=d2 what=repair",
            "WARN maintenance failed, retrying; site=oslo of=d2 what=repair");
  }

  private static final MaintenanceFailureLog.Step RECOVER =
      new MaintenanceFailureLog.Step("d2", "recover");

  @Test
  void anotherReasonOfOneClassIsToldToo() {
    maintenanceFailureLog.failed(
        RECOVER, new SiteException("oslo", SiteException.Reason.UNREACHABLE, "x"));
    maintenanceFailureLog.failed(
        RECOVER, new SiteException("oslo", SiteException.Reason.UNREACHABLE, "y"));
    maintenanceFailureLog.failed(
        RECOVER, new SiteException("oslo", SiteException.Reason.NOT_ALLOWED, "x"));
    maintenanceFailureLog.failed(
        RECOVER, new CatalogException(CatalogException.Reason.UNAVAILABLE, "x"));
    maintenanceFailureLog.failed(
        RECOVER, new CatalogException(CatalogException.Reason.UNAVAILABLE, "y"));
    maintenanceFailureLog.failed(
        RECOVER, new CatalogException(CatalogException.Reason.CORRUPT, "x"));

    assertThat(lines).hasSize(4).allMatch(line -> line.startsWith("WARN "));
  }

  @Test
  void whatIsNotThereAnyMoreIsForgottenWithoutAWord() {
    maintenanceFailureLog.failed(RECOVER, new IllegalStateException());
    maintenanceFailureLog.failed(
        new MaintenanceFailureLog.Step("oslo", "drain"), new IllegalStateException());

    maintenanceFailureLog.keep(Set.of("oslo"));
    maintenanceFailureLog.succeeded(RECOVER);
    assertThat(lines).hasSize(2);
    maintenanceFailureLog.succeeded(new MaintenanceFailureLog.Step("oslo", "drain"));

    assertThat(lines)
        .element(2)
        .isEqualTo("INFO maintenance succeeds again; site=oslo of=oslo what=drain");
  }

  @Test
  void whatIsPassedOverHasNotSucceeded() {
    AtomicLong now = new AtomicLong();
    MaintenanceRetry attempts = new MaintenanceRetry(maintenanceFailureLog, now::get);
    BooleanSupplier fails =
        () -> {
          throw new IllegalStateException();
        };
    BooleanSupplier passedOver = () -> false;
    for (BooleanSupplier step : List.of(fails, passedOver, fails, passedOver)) {
      attempts.attempt(RECOVER, step);
      now.addAndGet(MaintenanceRetry.PAUSE_AFTER_FAILURE.toNanos());
    }
    assertThat(lines).as("it is the same failure").hasSize(1);

    attempts.attempt(RECOVER, () -> true);

    assertThat(lines)
        .element(1)
        .isEqualTo("INFO maintenance succeeds again; site=oslo of=d2 what=recover");
  }

  @Test
  void whatFailsAtEachBeatIsToldOnceThoughItHasNoPause() {
    for (int beat = 0; beat < 5; beat++) {
      assertThat(
              maintenanceFailureLog.runLogged(
                  RECOVER,
                  () -> {
                    throw new IllegalStateException();
                  }))
          .isFalse();
      assertThat(maintenanceFailureLog.runLogged(RECOVER, () -> false)).isTrue();
    }
    assertThat(maintenanceFailureLog.runLogged(RECOVER, () -> true)).isTrue();

    assertThat(lines).hasSize(2);
  }

  @Test
  void whatHasFailedIsTriedAfterAPause() {
    AtomicLong now = new AtomicLong();
    AtomicInteger tries = new AtomicInteger();
    MaintenanceRetry attempts = new MaintenanceRetry(maintenanceFailureLog, now::get);
    BooleanSupplier fails =
        () -> {
          tries.incrementAndGet();
          throw new IllegalStateException();
        };
    attempts.attempt(RECOVER, fails);
    now.addAndGet(MaintenanceRetry.PAUSE_AFTER_FAILURE.toNanos() - 1);
    attempts.attempt(RECOVER, fails);
    assertThat(tries).hasValue(1);

    now.incrementAndGet();
    attempts.attempt(RECOVER, fails);

    assertThat(tries).hasValue(2);
  }
}
