package io.ensemble.schedule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class RequestListenerTest {

  private final ThreadScheduler scheduler = new ThreadScheduler(1);
  private final List<String> told = new ArrayList<>();
  private final RequestListener requestListener =
      (site, cache, request, writes) -> {
        told.add(request + " " + site + " " + cache + " " + writes);
        return failure -> told.add(failure == null ? "answered" : failure.getMessage());
      };

  @AfterEach
  void close() {
    scheduler.close();
  }

  private static CompletionStage<String> asked(
      Deadline deadline, CompletableFuture<String> answer) {
    return deadline.asking("lyon", "c", "read", false, () -> answer);
  }

  @Test
  void aDeadlineKeepsTheWitnessOfWhoMadeIt() {
    Deadline mine = requestListener.within(() -> Deadline.after(Duration.ofSeconds(1), scheduler));
    Deadline nobodys = Deadline.after(Duration.ofSeconds(1), scheduler);

    assertThat(mine.at(5)).isEqualTo(new Deadline(5, requestListener));
    assertThat(nobodys.at(5)).isEqualTo(new Deadline(5));
  }

  @Test
  void aRequestIsToldBeforeItIsSentAndWhenItEnds() {
    Deadline deadline = new Deadline(0, requestListener);
    CompletableFuture<String> first = new CompletableFuture<>();
    CompletableFuture<String> second = new CompletableFuture<>();

    CompletionStage<String> answer = asked(deadline, first);
    asked(deadline, second);
    second.completeExceptionally(new IllegalStateException("gone"));
    first.complete("v");

    assertThat(told).containsExactly("read lyon c false", "read lyon c false", "gone", "answered");
    assertThat(answer).isCompletedWithValue("v");
  }

  @Test
  void aRequestOfSeveralCallsIsReportedToTheWitnessOfEach() {
    List<String> others = new ArrayList<>();
    RequestListener other =
        (site, cache, request, writes) -> {
          others.add(request);
          return failure -> others.add("answered");
        };

    asked(
        new Deadline(0, RequestListener.all(List.of(requestListener, other))),
        CompletableFuture.completedFuture("v"));

    assertThat(told).containsExactly("read lyon c false", "answered");
    assertThat(others).containsExactly("read", "answered");
    assertThat(RequestListener.all(List.of())).isNull();
    assertThat(RequestListener.all(List.of(other))).isSameAs(other);
  }

  @Test
  void aListenerOfSeveralCallsIsNotifiedOnceOfARequestForThem() {
    RequestListener trace = (site, cache, request, writes) -> failure -> {};
    Deadline traced = new Deadline(0, trace).reportingTo(requestListener);
    Deadline plain = new Deadline(0).reportingTo(requestListener);
    RequestListener shared = RequestListener.all(List.of(traced.witness(), plain.witness()));

    asked(new Deadline(0, shared), CompletableFuture.completedFuture("v"));

    assertThat(told).containsExactly("read lyon c false", "answered");
    assertThat(plain.witness()).isSameAs(requestListener);
  }

  @Test
  void nobodyIsToldWhereNobodyWatches() {
    asked(new Deadline(0), CompletableFuture.completedFuture("v"));

    assertThat(told).isEmpty();
  }

  @Test
  void workThatIsCarriedHasItsWitnessAndTheThreadItsOwnAgain() {
    List<RequestListener> seen = new ArrayList<>();
    RequestListener other = (site, cache, request, writes) -> failure -> {};
    Runnable look = () -> seen.add(RequestListener.current());

    Runnable carried = requestListener.within(() -> RequestListener.carried(look));
    other.run(
        () -> {
          carried.run();
          look.run();
        });
    look.run();

    assertThat(seen).containsExactly(requestListener, other, null);
    assertThat(RequestListener.carried(look)).isSameAs(look);
  }

  /** Calls that share one wait continue on a thread that has the listener of one of them. */
  @Test
  void aContinuationHasTheListenerOfItsCallOnTheThreadOfAnother() {
    List<RequestListener> seen = new ArrayList<>();
    RequestListener other = (site, cache, request, writes) -> failure -> {};
    CompletableFuture<String> shared = new CompletableFuture<>();
    Function<String, CompletionStage<String>> look =
        value -> {
          seen.add(RequestListener.current());
          return CompletableFuture.completedFuture(value);
        };

    requestListener.run(() -> shared.thenCompose(RequestListener.carried(look)));
    CompletionStage<String> untraced = shared.thenCompose(RequestListener.carried(look));
    other.run(
        () -> {
          shared.complete("opened");
          seen.add(RequestListener.current());
        });

    assertThat(untraced).isCompletedWithValue("opened");
    assertThat(seen).containsExactlyInAnyOrder(requestListener, null, other);
  }

  @Test
  void workThatFailsLeavesNoWitnessBehind() {
    Runnable broken =
        () -> {
          throw new IllegalStateException("broken");
        };
    Supplier<String> alsoBroken =
        () -> {
          broken.run();
          return "";
        };

    assertThatThrownBy(() -> requestListener.run(broken)).hasMessage("broken");
    assertThat(RequestListener.current()).isNull();
    assertThatThrownBy(() -> requestListener.within(alsoBroken)).hasMessage("broken");
    assertThat(RequestListener.current()).isNull();
  }
}
