package io.ensemble.zoofence.queue.executor;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.zoofence.queue.ZnodeOwner;
import io.ensemble.zoofence.queue.plan.CommandPlan;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class ZnodeOwnersTest {
  private static final long SESSION = 7;
  private static final long CREATION = 1;
  private static final long REMOVAL = 2;
  private static final String PATH = "/e";

  private final Set<Long> unfinished = new HashSet<>(Set.of(CREATION, REMOVAL));
  private final List<String> removed = new ArrayList<>();
  private final ZnodeOwners owners =
      new ZnodeOwners(
          new NoOpQueueStore() {
            @Override
            public void removeRecord(ZnodeOwner owner, String path) {
              removed.add(owner.recordPath(path));
            }
          },
          unfinished::contains);

  private static CommandPlan plan(Map<String, Long> owned, List<String> freed) {
    return new CommandPlan(List.of(), owned, freed, false, Set.of());
  }

  private static String record() {
    return new ZnodeOwner(SESSION, CREATION).recordPath(PATH);
  }

  private void createAndRemove() {
    owners.applyPlan(plan(Map.of(PATH, SESSION), List.of()), CREATION);
    owners.applyPlan(plan(Map.of(), List.of(PATH)), REMOVAL);
  }

  @Test
  void aRecordThatWasRemovedBeforeItsCreationIsRemovedAgainAfterIt() {
    createAndRemove();
    assertThat(removed).containsExactly(record());

    unfinished.remove(CREATION);
    owners.finishCommand(CREATION);
    owners.finishCommand(CREATION);

    assertThat(removed).containsExactly(record(), record());
  }

  @Test
  void aRecordThatExistsIsRemovedOnce() {
    unfinished.remove(CREATION);
    createAndRemove();

    owners.finishCommand(CREATION);
    owners.finishCommand(REMOVAL);

    assertThat(removed).containsExactly(record());
  }
}
