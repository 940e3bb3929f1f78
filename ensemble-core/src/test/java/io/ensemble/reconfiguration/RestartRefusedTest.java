package io.ensemble.reconfiguration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ensemble.CacheDefinition;
import io.ensemble.Mode;
import io.ensemble.catalog.SiteDirectory;
import io.ensemble.catalog.StubSite;
import io.ensemble.catalog.VirtualTimeScheduler;
import io.ensemble.catalog.definition.InMemoryDefinitions;
import io.ensemble.catalog.definition.StoredDefinition;
import io.ensemble.change.ChangePhase;
import io.ensemble.change.ConfigurationChange;
import io.ensemble.codec.Codec;
import io.ensemble.manager.ManagerContext;
import io.ensemble.manager.OpenCaches;
import io.ensemble.site.SiteException.Reason;
import io.ensemble.site.StoreKind;
import io.ensemble.stamp.HybridClock;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.TreeSet;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A change is not restarted while its new stores may exist, nor in a phase that can go on. */
class RestartRefusedTest {

  private final VirtualTimeScheduler scheduler = new VirtualTimeScheduler();
  private final InMemoryDefinitions definitions = new InMemoryDefinitions();
  private final StubSite site = new StubSite("b");
  private final Alterations alterations = alterations();
  private final LostStoreDetector detector = alterations.lostStoreDetector();

  private Alterations alterations() {
    ManagerContext federation =
        new ManagerContext(
            SiteDirectory.of(Map.of("b", site)),
            definitions,
            scheduler,
            Optional.empty(),
            new HybridClock(scheduler::epochMicros),
            null,
            Duration.ofSeconds(2),
            new SecureRandom(),
            List.of());
    OpenCaches caches = new OpenCaches(federation, new Codec(List.of()), Map.of());
    return new Alterations(federation, null, caches, null, null);
  }

  @BeforeEach
  void create() {
    CacheDefinition at = CacheDefinition.of("s", Mode.MWMR).sites("a").build();
    String birth = definitions.id().toCompletableFuture().getNow("") + "000000000001";
    definitions.create(StoredDefinition.first(at, birth, Map.of("a", "0000000a")));
  }

  private StoredDefinition stored() {
    return alterations.requireStored("s");
  }

  private StoredDefinition at(ChangePhase changePhase) {
    StoredDefinition now = stored();
    ConfigurationChange begun =
        ConfigurationChange.begun(
            now.definition().at(List.of("b")), Map.of("b", "0000000b"), "dead", new TreeSet<>());
    StoredDefinition next =
        switch (changePhase) {
          case CLOSING -> now.with(Optional.of(begun.at(ChangePhase.CUTOVER))).switched();
          case ABORTING -> now.with(Optional.of(begun.ending(ChangePhase.ABORTING, List.of())));
          default -> now.with(Optional.of(begun.at(changePhase)));
        };
    if (changePhase == ChangePhase.CLOSING) { // Two revisions later.
      definitions.replace(now.with(Optional.empty()));
    }
    assertThat(definitions.replace(next).toCompletableFuture()).isCompletedWithValue(true);
    return next;
  }

  private void refused(StoredDefinition now, String... why) {
    assertThatIllegalStateException()
        .isThrownBy(() -> alterations.restart(now, detector))
        .withMessageContainingAll(why);
    assertThat(stored()).isEqualTo(now);
  }

  @Test
  void inEachOtherStepItSaysWhatToDoInstead() {
    refused(at(ChangePhase.PREPARING), "step=PREPARING", "resume it");
    refused(at(ChangePhase.COPYING), "step=COPYING", "cancel it");
    refused(at(ChangePhase.SEALING), "step=SEALING", "resume it with other new stores");
    refused(at(ChangePhase.ABORTING), "step=ABORTING", "cancelled");
    refused(at(ChangePhase.CLOSING), "step=CLOSING", "recover its sites");
  }

  @Test
  void whereNoChangeIsUnderWayItSaysSo() {
    assertThatThrownBy(() -> alterations.restart(stored(), detector))
        .isInstanceOf(NoSuchElementException.class)
        .hasMessageContaining("no change of the cache");
  }

  @Test
  void whatIsMissingForAMomentIsNotLost() {
    StoredDefinition cutover = at(ChangePhase.CUTOVER);

    refused(cutover, "a site may be starting", "sites=[b]");
    scheduler.advance(Duration.ofSeconds(2));
    refused(cutover, "a site may be starting");
  }

  /** A restart would wait for the silent replica, with the cache not served. */
  @Test
  void whileOneOfThreeIsSilentTheLossOfTheOthersIsNoReason() {
    StoredDefinition now = stored();
    Map<String, String> lives = Map.of("b/1", "0000000b", "b/2", "0000000c", "b/3", "0000000d");
    ConfigurationChange begun =
        ConfigurationChange.begun(
            now.definition().at(List.of("b/1", "b/2", "b/3")), lives, "dead", new TreeSet<>());
    StoredDefinition cutover = now.with(Optional.of(begun.at(ChangePhase.CUTOVER)));
    assertThat(definitions.replace(cutover).toCompletableFuture()).isCompletedWithValue(true);
    site.silentNodes.add("0000000d");
    for (int i = 0; i < 2; i++) {
      refused(cutover, "a site may be starting");
      scheduler.advance(Duration.ofSeconds(2));
    }

    refused(cutover, "start the nodes", "replicas=[b/3]");
  }

  @Test
  void whatIsThereOrSilentIsNotLost() {
    StoredDefinition cutover = at(ChangePhase.CUTOVER);
    site.fails = Reason.UNREACHABLE;
    refused(cutover, "a majority of the new stores exists or may exist");
    site.fails = null;
    site.stores.put(cutover.served().store("b").orElseThrow(), StoreKind.REPLICA);

    for (int i = 0; i < 5; i++) {
      refused(cutover, "a majority of the new stores exists or may exist");
      scheduler.advance(Duration.ofSeconds(2));
    }
  }
}
