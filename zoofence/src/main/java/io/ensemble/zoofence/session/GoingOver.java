package io.ensemble.zoofence.session;

import io.ensemble.zoofence.wire.Reply;
import io.netty.channel.EventLoop;
import java.util.concurrent.TimeUnit;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.proto.SetWatches2;

/**
 * How a session goes over to another edition of the flattening: when nothing of it is on its way,
 * its watches follow their paths, and what waits finds its way anew.
 */
final class GoingOver {
  private static final int AGAIN_MILLIS = 50;

  private final Members members;
  private final Reads reads;
  private final Chart chart;
  private final Order order;
  private final EventLoop loop;
  private final Runnable resume;
  private final Runnable restart;
  private boolean underWay;
  private long sinceNanos;

  /**
   * @param resume is run when it is done
   * @param restart makes the client come back: what it watches for good cannot follow without a
   *     gap, so it has to know
   */
  GoingOver(
      Members members,
      Reads reads,
      Order order,
      EventLoop loop,
      Runnable resume,
      Runnable restart) {
    this.members = members;
    this.reads = reads;
    this.chart = members.chart();
    this.order = order;
    this.loop = loop;
    this.resume = resume;
    this.restart = restart;
  }

  /** Whether nothing new may be sent before it is done. */
  boolean isDue() {
    return chart.isOutdated();
  }

  /**
   * A command had no effect, as another edition is in force, or is about to be.
   *
   * @return its reply, if it has waited for long enough; else null, and it is sent again
   */
  @org.jspecify.annotations.Nullable
  Reply turnedAway(Task task, long patienceMillis) {
    if (task.hasWaited(patienceMillis)) {
      return Reply.failed(Code.OPERATIONTIMEOUT);
    }
    task.turnAway();
    chart.turnedAway();
    return null;
  }

  /** Whether it has been due for so long that requests should not wait any longer. */
  boolean isOverdue(long patienceMillis) {
    return isDue()
        && sinceNanos != 0
        && System.nanoTime() - sinceNanos > TimeUnit.MILLISECONDS.toNanos(patienceMillis);
  }

  /** Begins, if it is due, and everything that was sent is answered or turned away. */
  void begin() {
    if (isDue() && sinceNanos == 0) {
      sinceNanos = System.nanoTime();
    }
    if (!isDue() || underWay || !order.isQuiet()) {
      return;
    }
    underWay = true;
    order.again();
    chart.refresh(
        read -> {
          if (read && !chart.hasReadMove()) {
            end(true);
          } else {
            loop.schedule(() -> end(read), AGAIN_MILLIS, TimeUnit.MILLISECONDS);
          }
        });
  }

  private void end(boolean read) {
    underWay = false;
    if (!read) {
      resume.run();
      return;
    }
    chart.adopt();
    sinceNanos = 0;
    boolean all = true;
    for (Instance instance : members.instances()) {
      all &= follow(instance);
    }
    members.instances().forEach(Instance::goOver);
    if (all) {
      order.reroute(request -> Routes.of(request, chart.flattening(), reads));
      resume.run();
    } else {
      restart.run();
    }
  }

  /** What is watched once is watched where its path is from now on. */
  private boolean follow(Instance from) {
    int number = from.link().number();
    boolean all =
        !from.watches()
            .persists(
                path -> !chart.flattening().holders(path).equals(from.flattening().holders(path)));
    SetWatches2 left = from.watches().leave(path -> reader(path) != number);
    Watches.divided(left, this::reader).forEach((to, part) -> members.at(to).owe(part));
    return all;
  }

  private int reader(String path) {
    return reads.at(chart.flattening().holders(path));
  }
}
