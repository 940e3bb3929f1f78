package io.ensemble.catalog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ensemble.CacheDefinition;
import io.ensemble.Mode;
import io.ensemble.catalog.definition.Definitions;
import io.ensemble.catalog.definition.StoredDefinition;
import io.ensemble.catalog.record.CatalogException;
import io.ensemble.schedule.ThreadScheduler;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Watching a record; dependent stages run on the scheduler, not on the delivering thread. */
@Timeout(90)
class DefinitionWatchTest {

  private static final String BIRTH = "0000000000ca0000000000b1";

  private final ThreadScheduler scheduler = new ThreadScheduler(1);
  private final CompletableFuture<Optional<StoredDefinition>> record = new CompletableFuture<>();
  private final StoredDefinition stored =
      StoredDefinition.first(
          CacheDefinition.of("c", Mode.MWMR).sites("a").build(), BIRTH, Map.of("a", "00000001"));

  /** A cache at two sites, and the same cache after it has gone on at one. */
  private final StoredDefinition both =
      StoredDefinition.first(
          CacheDefinition.of("c", Mode.SWMR).sites("a", "b").build(),
          BIRTH,
          Map.of("a", "00000001", "b", "00000002"));

  private final StoredDefinition alone =
      both.goingOn(both.roll().succeeded(both.roll().firstTerm(), List.of("b")));

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
  void aCacheOfThatNameInAnotherCatalogIsNoDeletion() throws Exception {
    StoredDefinition other =
        StoredDefinition.first(
            stored.definition(), "0000000000cb0000000000b1", stored.incarnations());
    record.complete(Optional.of(other));

    assertThatThrownBy(() -> got(watch.present().toCompletableFuture()))
        .hasCauseInstanceOf(CatalogException.class);
    assertThat(watch.isDeleted()).isFalse();
  }

  @Test
  void whoeverFollowsIsToldOnceThatOthersCount() throws Exception {
    List<StoredDefinition> told = new ArrayList<>();
    DefinitionWatch following =
        new DefinitionWatch(
            both, catalog(CompletableFuture.completedFuture(Optional.of(alone))), scheduler);
    following.whenOthersCount(told::add);

    got(following.present().toCompletableFuture());
    got(following.present().toCompletableFuture());

    assertThat(told).containsExactly(alone);
  }

  /** Otherwise an answer of a new store would count for the former voter set. */
  @Test
  void storesAreRenewedAfterTheRollIsFollowed() throws Exception {
    List<String> told = new ArrayList<>();
    DefinitionWatch following =
        new DefinitionWatch(
            both, catalog(CompletableFuture.completedFuture(Optional.of(alone))), scheduler);
    following.whenStoresAreOthers(now -> told.add("stores"));
    following.whenOthersCount(now -> told.add("roll"));

    got(following.present().toCompletableFuture());

    assertThat(told).containsExactly("roll", "stores");
  }

  /** Otherwise a caller would open stores that the engine does not count yet. */
  @Test
  void whoLooksMeanwhileIsNotToldOfARollBeforeItIsFollowed() throws Exception {
    CountDownLatch entered = new CountDownLatch(1);
    CountDownLatch free = new CountDownLatch(1);
    AtomicBoolean followed = new AtomicBoolean();
    try (ThreadScheduler two = new ThreadScheduler(2)) {
      DefinitionWatch following =
          new DefinitionWatch(
              both, catalog(CompletableFuture.completedFuture(Optional.of(alone))), two);
      following.whenOthersCount(
          now -> {
            entered.countDown();
            await(free);
            followed.set(true);
          });

      CompletableFuture<StoredDefinition> first = following.present().toCompletableFuture();
      await(entered);
      CompletableFuture<Boolean> second =
          following.present().thenApply(now -> followed.get()).toCompletableFuture();

      assertThat(got(second.completeOnTimeout(true, 300, TimeUnit.MILLISECONDS))).isTrue();
      free.countDown();
      assertThat(got(first)).isEqualTo(alone);
    }
  }

  private static void await(CountDownLatch latch) {
    try {
      assertThat(latch.await(20, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /** A caller asks repeatedly if the voter set has ended and no later one is published. */
  @Test
  void looksThatAreAskedForAllTheWhileAreAPauseApartAndNoneIsForgotten() {
    VirtualTimeScheduler time = new VirtualTimeScheduler();
    AtomicInteger looks = new AtomicInteger();
    Definitions counted =
        catalog(
            () -> {
              looks.incrementAndGet();
              return CompletableFuture.completedFuture(Optional.of(stored));
            });
    DefinitionWatch asked = new DefinitionWatch(stored, counted, time);
    asked.look();
    assertThat(looks).as("at once").hasValue(1);
    for (int i = 0; i < 100; i++) {
      asked.look();
      time.advance(DefinitionWatch.PAUSE.dividedBy(25));
    }
    assertThat(looks).hasValue(5);

    asked.look();
    time.advance(DefinitionWatch.PAUSE);
    assertThat(looks).hasValue(6);
    time.advance(DefinitionWatch.PAUSE);
    asked.look();
    assertThat(looks).as("at once").hasValue(7);
  }

  private static Definitions catalog(CompletableFuture<Optional<StoredDefinition>> answer) {
    return catalog(() -> answer);
  }

  private static Definitions catalog(
      Supplier<CompletableFuture<Optional<StoredDefinition>>> answer) {
    return (Definitions)
        Proxy.newProxyInstance(
            Definitions.class.getClassLoader(),
            new Class<?>[] {Definitions.class},
            (self, method, arguments) -> answer.get());
  }

  @Test
  void withoutASchedulerItFailsAndNobodyWaits() {
    CompletableFuture<StoredDefinition> present = watch.present().toCompletableFuture();
    scheduler.close();

    record.complete(Optional.empty());

    assertThatThrownBy(present::join).hasCauseInstanceOf(RejectedExecutionException.class);
  }

  /** A process may have paused between the question and its answer. */
  @Test
  void aQuestionThatIsOlderThanTheRecordMayBeIsNotShared() {
    VirtualTimeScheduler time = new VirtualTimeScheduler();
    List<CompletableFuture<Optional<StoredDefinition>>> questions = new ArrayList<>();
    DefinitionWatch asked =
        new DefinitionWatch(
            stored,
            catalog(
                () -> {
                  questions.add(new CompletableFuture<>());
                  return questions.get(questions.size() - 1);
                }),
            time);
    long seconds = 20_000_000_000L;
    CompletableFuture<StoredDefinition> first = asked.presentWithin(seconds).toCompletableFuture();
    time.advance(Duration.ofSeconds(19));
    asked.presentWithin(seconds);
    asked.presentWithin(0);
    assertThat(questions).hasSize(1);

    time.advance(Duration.ofSeconds(1));
    CompletableFuture<StoredDefinition> late = asked.presentWithin(seconds).toCompletableFuture();
    assertThat(questions).hasSize(2);
    questions.get(0).complete(Optional.of(stored));
    time.advance(Duration.ofMillis(1));
    assertThat(first).isCompletedWithValue(stored);
    assertThat(late).isNotDone();
    asked.presentWithin(seconds);
    assertThat(questions).as("the second is under way").hasSize(2);
    StoredDefinition later = stored.with(Optional.empty());
    questions.get(1).complete(Optional.of(later));
    time.advance(Duration.ofMillis(1));
    assertThat(late).isCompletedWithValue(later);
  }
}
