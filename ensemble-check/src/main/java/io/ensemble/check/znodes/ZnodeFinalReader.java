package io.ensemble.check.znodes;

import io.ensemble.check.trial.CallJournal;
import io.ensemble.check.trial.ClientOutcomeCounts;
import io.ensemble.check.trial.PacedClients;
import io.ensemble.check.znodes.ZnodeLayout.LayoutNode;
import io.ensemble.check.znodes.ZnodeLayout.NodePair;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;

/** A new client that reads the final state of each znode. */
final class ZnodeFinalReader implements PacedClients.Client {
  private static final long LONGEST_MILLIS = 60_000;

  private final ZooFenceClientSpec order;
  private final CallJournal journal;
  private final ClientOutcomeCounts tally;
  private final ZnodeOutcomes outcomes;
  private long number;

  ZnodeFinalReader(ZooFenceClientSpec order, CallJournal journal, ClientOutcomeCounts tally) {
    this.order = order;
    this.journal = journal;
    this.tally = tally;
    this.outcomes = new ZnodeOutcomes(tally);
    this.number = journal.newClient();
  }

  @Override
  public void work(PacedClients.CallSchedule steps, SplittableRandom random)
      throws InterruptedException {
    try (ZnodeSession session = new ZnodeSession(order.proxies(), order.sessionMillis())) {
      if (!session.awaitConnected(LONGEST_MILLIS)) {
        tally.broken("the last client is not connected");
        return;
      }
      for (LayoutNode spot : order.layout().single()) {
        get(session, spot.path(), spot.path());
      }
      for (NodePair two : order.layout().pairs()) {
        get(session, two.key(), two.first().path());
        get(session, two.key(), two.second().path());
      }
      for (LayoutNode under : order.layout().named()) {
        names(session, under);
      }
    }
  }

  private void get(ZnodeSession session, String key, String path) throws InterruptedException {
    CallJournal.Call call = journal.begin(number, key, "get_data", null, null);
    number = outcomes.recordGet(call, path, ZnodeSession.await(session.get(path)));
  }

  private void names(ZnodeSession session, LayoutNode under) throws InterruptedException {
    CallJournal.Call call =
        journal.begin(number, under.path(), SequentialNodeCheck.NAMES, null, null);
    ZnodeResult answer = ZnodeSession.await(session.children(under.path()));
    outcomes.reportIfIllegal("the final read below " + under.path(), answer);
    List<CompletableFuture<ZnodeResult>> each = new ArrayList<>();
    for (String name : answer.children()) {
      each.add(session.peek(under.path() + "/" + name));
    }
    List<List<Long>> found = new ArrayList<>();
    for (int i = 0; i < each.size(); i++) {
      String name = answer.children().get(i);
      Long value = outcomes.value(under.path() + "/" + name, ZnodeSession.await(each.get(i)));
      if (value != null) {
        found.add(List.of(SequentialNodeCheck.number(name), value));
      }
    }
    if (answer.succeeded() && found.size() == answer.children().size()) {
      number = call.ok(found);
      tally.completed();
    } else {
      number = call.refused();
      tally.refused();
    }
  }
}
