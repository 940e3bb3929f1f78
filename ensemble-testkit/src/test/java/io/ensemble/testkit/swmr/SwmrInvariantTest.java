package io.ensemble.testkit.swmr;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ensemble.WriteOutcome;
import io.ensemble.cache.swmr.FaultyVoterSetEnd;
import io.ensemble.cache.swmr.OpenSwmrCache;
import io.ensemble.schedule.Deadline;
import io.ensemble.site.Bytes;
import io.ensemble.site.Site;
import io.ensemble.testkit.mwmr.HistoryPayloads;
import io.ensemble.testkit.sim.SimClient;
import io.ensemble.testkit.sim.SimFederation;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

/**
 * A broken invariant reaches the caller of the operation that found it, even if it may have taken
 * effect.
 */
class SwmrInvariantTest {

  private static final Bytes KEY = HistoryPayloads.key("k");
  private static final Set<String> SWAPS = Set.of("putIfAbsent", "replace");

  private final SimFederation federation = SimFederation.builder().clients(0).seed(9).build();
  private final SwmrSimCache scene = new SwmrSimCache(federation);
  private final SimClient client = federation.newClient();
  private final OpenSwmrCache cache =
      scene.open(
          client, this::seen, opened -> FaultyVoterSetEnd.open(opened, FaultyVoterSetEnd.leases()));
  private Set<String> breaking = Set.of();

  private Site seen(Site real) {
    return InterceptedSite.of(real, this::instead);
  }

  private Optional<CompletionStage<?>> instead(
      String site, Method request, Object[] arguments, InterceptedSite.Perform perform) {
    boolean ofKey = arguments != null && arguments[0] instanceof Bytes key && key.size() > 1;
    if (!ofKey || !breaking.contains(request.getName())) {
      return Optional.empty();
    }
    return Optional.of(
        ((CompletionStage<?>) perform.with(arguments))
            .thenCompose(
                done -> CompletableFuture.failedFuture(new AssertionError("told to break"))));
  }

  private Deadline soon() {
    return Deadline.after(Duration.ofSeconds(20), client.scheduler());
  }

  private CompletionStage<WriteOutcome<Void>> write(int value) {
    return cache.write(KEY, HistoryPayloads.payload(value), soon());
  }

  @Test
  void ofARead() {
    scene.get(write(1));
    breaking = Set.of("read");

    assertThatThrownBy(() -> scene.get(cache.read(KEY, soon())))
        .hasRootCauseMessage("told to break");
  }

  @Test
  void ofAWriteThatHasPerhapsTakenEffectAndTheNextOneFencesIt() {
    scene.get(write(1));
    breaking = SWAPS;

    assertThatThrownBy(() -> scene.get(write(2))).hasRootCauseMessage("told to break");

    breaking = Set.of();
    assertThat(scene.get(write(3))).isInstanceOf(WriteOutcome.Applied.class);
    assertThat(HistoryPayloads.number(scene.get(cache.read(KEY, soon())))).isEqualTo(3);
  }

  @Test
  void anErrorOfAnUpdateFunctionIsTheCallersOwnWhereNothingWasWritten() {
    AssertionError own = new AssertionError("the function's");

    assertThatThrownBy(
            () ->
                scene.get(
                    cache.<Boolean>update(
                        KEY,
                        now -> {
                          throw own;
                        },
                        soon())))
        .hasRootCause(own);
    assertThat(scene.get(cache.read(KEY, soon()))).isEmpty();
  }
}
