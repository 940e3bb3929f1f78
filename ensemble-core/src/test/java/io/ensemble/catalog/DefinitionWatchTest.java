package io.ensemble.catalog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ensemble.CacheDefinition;
import io.ensemble.Mode;
import io.ensemble.schedule.ThreadScheduler;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Who brings a record, here the test's own thread, is kept from running what waits for it. */
@Timeout(30)
class DefinitionWatchTest {

  private final ThreadScheduler scheduler = new ThreadScheduler(1);
  private final CompletableFuture<Optional<StoredDefinition>> record = new CompletableFuture<>();
  private final StoredDefinition stored =
      StoredDefinition.first(
          CacheDefinition.of("c", Mode.MWMR).sites("a").build(),
          DefinitionsTest.BIRTH,
          Map.of("a", "00000001"));
  private final DefinitionWatch watch = new DefinitionWatch(stored, catalog(record), scheduler);

  @AfterEach
  void close() {
    watch.close();
    scheduler.close();
  }

  private CompletableFuture<Boolean> isOnTheScheduler(CompletableFuture<?> stage) {
    CompletableFuture<Boolean> answer = new CompletableFuture<>();
    stage.whenComplete((result, failure) -> answer.complete(scheduler.ownsCurrentThread()));
    return answer;
  }

  private static <T> T got(CompletableFuture<T> stage) throws Exception {
    return stage.get(20, TimeUnit.SECONDS);
  }

  @Test
  void thoseWhoAreToldOfADeletionRunOnTheScheduler() throws Exception {
    CompletableFuture<Boolean> told = new CompletableFuture<>();
    watch.whenDeleted(() -> told.complete(scheduler.ownsCurrentThread()));
    CompletableFuture<Boolean> present = isOnTheScheduler(watch.present().toCompletableFuture());

    record.complete(Optional.empty());

    assertThat(got(told)).isTrue();
    assertThat(got(present)).isTrue();
    assertThat(watch.isDeleted()).isTrue();
  }

  @Test
  void aRecordAndAFailureAreHandedOnOnTheScheduler() throws Exception {
    CompletableFuture<StoredDefinition> present = watch.present().toCompletableFuture();
    CompletableFuture<Boolean> there = isOnTheScheduler(present);
    record.complete(Optional.of(stored));
    assertThat(got(there)).isTrue();
    assertThat(got(present)).isEqualTo(stored);

    CompletableFuture<Optional<StoredDefinition>> failing = new CompletableFuture<>();
    DefinitionWatch other = new DefinitionWatch(stored, catalog(failing), scheduler);
    CompletableFuture<StoredDefinition> none = other.present().toCompletableFuture();
    CompletableFuture<Boolean> failed = isOnTheScheduler(none);
    failing.completeExceptionally(
        new CatalogException(CatalogException.Reason.UNAVAILABLE, "told to fail"));
    assertThat(got(failed)).isTrue();
    assertThatThrownBy(none::join)
        .isInstanceOf(CompletionException.class)
        .hasCauseInstanceOf(CatalogException.class);
    assertThat(other.isDeleted()).isFalse();
  }

  @Test
  void whoeverFollowsIsToldOnceThatOthersCount() throws Exception {
    List<StoredDefinition> told = new ArrayList<>();
    StoredDefinition both =
        StoredDefinition.first(
            CacheDefinition.of("c", Mode.SWMR).sites("a", "b").build(),
            DefinitionsTest.BIRTH,
            Map.of("a", "00000001", "b", "00000002"));
    StoredDefinition alone =
        both.goingOn(both.roll().succeeded(both.roll().firstTerm(), List.of("b")));
    DefinitionWatch following =
        new DefinitionWatch(
            both, catalog(CompletableFuture.completedFuture(Optional.of(alone))), scheduler);
    following.whenOthersCount(told::add);

    got(following.present().toCompletableFuture());
    got(following.present().toCompletableFuture());

    assertThat(told).containsExactly(alone);
  }

  private static Definitions catalog(CompletableFuture<Optional<StoredDefinition>> answer) {
    return (Definitions)
        Proxy.newProxyInstance(
            Definitions.class.getClassLoader(),
            new Class<?>[] {Definitions.class},
            (self, method, arguments) -> answer);
  }

  @Test
  void withoutASchedulerItFailsAndNobodyWaits() {
    CompletableFuture<StoredDefinition> present = watch.present().toCompletableFuture();
    scheduler.close();

    record.complete(Optional.empty());

    assertThatThrownBy(present::join).hasCauseInstanceOf(RejectedExecutionException.class);
  }
}
