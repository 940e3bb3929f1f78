package io.ensemble.simulation;

import io.ensemble.schedule.Deadline;
import io.ensemble.site.SiteStore.Scan;
import java.util.List;
import java.util.concurrent.CompletionStage;

/**
 * The client's side of a walk. A part that failed may be requested again. After a crash of the site
 * the walk begins again and returns entries a second time.
 */
final class SimScan implements Scan {

  private final SimSite site;
  private final String store;
  private final int batchSize;
  private final long walk;
  private long life;
  private int from;
  private boolean isStarted;
  private boolean closed;

  SimScan(SimSite site, String store, int batchSize) {
    this.site = site;
    this.store = store;
    this.batchSize = batchSize;
    this.walk = site.newWalk();
  }

  @Override
  public CompletionStage<List<Item>> next(Deadline deadline) {
    if (isStarted || closed) {
      throw new IllegalStateException(
          "a walk is open and has one caller at a time; asked=" + isStarted + " closed=" + closed);
    }
    isStarted = true;
    long begun = life;
    int start = from;
    return site.<SimStoreScan.ScanPart>send(
            "scan " + store + " from " + start,
            memory -> {
              SimStoreScan.ScanPart part = memory.walk(walk, begun, store, start, batchSize);
              return RequestResult.of(part, part.items().size() + " entries");
            },
            deadline)
        .whenComplete((part, failure) -> isStarted = false)
        .thenApply(this::take);
  }

  private List<Item> take(SimStoreScan.ScanPart part) {
    life = part.life();
    from = part.next();
    return part.items();
  }

  @Override
  public void close() {
    if (!closed) {
      closed = true;
      site.endWalk(walk);
    }
  }
}
