package io.ensemble.tree;

import io.ensemble.tree.runtime.CommitSequencer;
import io.ensemble.tree.runtime.MissingPageException;
import io.ensemble.tree.runtime.TreePages;
import io.ensemble.tree.state.CommitOutcome;
import io.ensemble.tree.state.PageId;
import io.ensemble.tree.state.SequencerCalls.AdvanceOutcome;
import io.ensemble.tree.state.TreePage;
import io.ensemble.tree.state.TreeState;
import io.ensemble.tree.state.TreeStateCodec;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.Semaphore;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Clients of one tree, each on a thread, of which one runs at a time: at every request a seeded
 * choice says who goes on. Answers of commits are lost, writes of pages take effect late, and
 * clients die between any two requests.
 */
final class TreeSimulation {

  /** Ends the thread of a client. */
  static final class DeathException extends RuntimeException {
    private static final long serialVersionUID = 1L;
  }

  /** A deliberate fault. */
  enum PlantedTreeFault {
    NONE,
    /** A checkpoint is reported before its pages are written. */
    ADVANCE_FIRST,
    /** Pages are removed when they have been replaced, and not later. */
    REMOVE_AT_ONCE,
    /** A lost answer of a commit is taken for a refusal, and the commit is made again. */
    REPEAT_UNKNOWN,
    /** The base of a commit is not compared with the window. */
    FORGET_CONFLICTS
  }

  private static final TreeStateCodec CODEC = new TreeStateCodec();

  private final Random random;
  private final PlantedTreeFault planted;
  private final TreeState sequencer;
  final Map<PageId, byte[]> pages = new HashMap<>();
  final Map<Long, List<PageId>> replaced = new TreeMap<>();
  private final List<Runnable> late = new ArrayList<>();
  private final List<Client> clients = new ArrayList<>();
  private final Semaphore scheduler = new Semaphore(0);
  private long nowNanos;
  int lost;
  int deaths;
  int lateWrites;

  TreeSimulation(long seed, TreeSettings settings, PlantedTreeFault planted) {
    this.random = new Random(seed);
    this.planted = planted;
    this.sequencer =
        TreeState.create(
            "birth", settings, NodePermissions.of(SharedTree.ADMINISTRATOR, NodeAccess.NONE));
  }

  /** The state, as a reader would get it. */
  TreeState state() {
    return CODEC.read(CODEC.write(sequencer));
  }

  /** One client, on a thread of its own. */
  final class Client implements CommitSequencer, TreePages {
    private final Semaphore turn = new Semaphore(0);
    private final Map<PageId, TreePage> cache = new HashMap<>();
    private boolean isDone;
    private @Nullable Throwable failure;
    boolean mayDie = true;

    private void run(Consumer<Client> work) {
      Thread thread =
          new Thread(
              () -> {
                turn.acquireUninterruptibly();
                try {
                  work.accept(this);
                } catch (DeathException dead) {
                  deaths++;
                } catch (Throwable e) {
                  failure = e;
                } finally {
                  isDone = true;
                  scheduler.release();
                }
              },
              "simulated-client");
      thread.setDaemon(true);
      thread.start();
    }

    /** Lets others go on before a request. */
    private void step() {
      scheduler.release();
      turn.acquireUninterruptibly();
      if (mayDie && random.nextInt(600) == 0) {
        throw new DeathException();
      }
    }

    @Override
    public TreeState read() {
      step();
      return state();
    }

    @Override
    public CommitOutcome commit(byte[] request) {
      step();
      CommitOutcome outcome = make(request);
      if (random.nextInt(12) == 0) {
        lost++;
        if (planted == PlantedTreeFault.REPEAT_UNKNOWN) {
          return make(request);
        }
        throw new TreeException.Unknown("lost", null);
      }
      step();
      return outcome;
    }

    private CommitOutcome make(byte[] request) {
      if (planted == PlantedTreeFault.FORGET_CONFLICTS) {
        CommitOutcome outcome = sequencer.commit(withoutReads(request));
        return outcome;
      }
      return sequencer.commit(request);
    }

    @Override
    public Optional<AdvanceOutcome> advance(
        long checkpoint, int chain, byte[] root, long removedTo) {
      step();
      AdvanceOutcome outcome =
          sequencer.advance(checkpoint, chain, root, nowNanos / 1_000_000, removedTo);
      boolean isLost = random.nextInt(12) == 0;
      step();
      return isLost ? Optional.empty() : Optional.of(outcome);
    }

    @Override
    public Runnable nextChange(Duration atMost) {
      return () -> pause(atMost);
    }

    @Override
    public void pause(Duration time) {
      long end = nowNanos + time.toNanos();
      while (nowNanos < end) {
        step();
      }
    }

    @Override
    public long nanoTime() {
      return nowNanos;
    }

    @Override
    public TreePage read(PageId id) {
      TreePage known = cache.get(id);
      if (known != null) {
        return known;
      }
      step();
      byte[] bytes = pages.get(id);
      if (bytes == null) {
        throw MissingPageException.of(id);
      }
      TreePage page = TreePage.decoded(id, bytes);
      if (cache.size() > 5) {
        cache.clear();
      }
      cache.put(id, page);
      return page;
    }

    @Override
    public Optional<TreePage> cached(PageId id) {
      return Optional.ofNullable(cache.get(id));
    }

    @Override
    public void readAll(Collection<PageId> ids) {
      ids.forEach(
          id -> {
            byte[] bytes = pages.get(id);
            if (bytes != null) {
              cache.put(id, TreePage.decoded(id, bytes));
            }
          });
    }

    @Override
    public void write(long checkpoint, Map<PageId, byte[]> written, List<PageId> ids) {
      boolean listFirst = random.nextBoolean();
      if (listFirst) {
        writeReplaced(checkpoint, ids);
      }
      writePages(written);
      if (!listFirst) {
        writeReplaced(checkpoint, ids);
      }
    }

    private void writePages(Map<PageId, byte[]> written) {
      if (planted == PlantedTreeFault.ADVANCE_FIRST) {
        late.add(() -> pages.putAll(written));
        return;
      }
      written.forEach(
          (id, bytes) -> {
            step();
            pages.put(id, bytes);
            if (random.nextInt(10) == 0) {
              late.add(() -> pages.put(id, bytes)); // a request whose answer was lost, sent twice
              lateWrites++;
            }
          });
    }

    private void writeReplaced(long checkpoint, List<PageId> ids) {
      step();
      if (planted == PlantedTreeFault.REMOVE_AT_ONCE) {
        ids.forEach(pages::remove);
        return;
      }
      replaced.put(checkpoint, ids);
    }

    @Override
    public void discard(Collection<PageId> ids, long checkpoint) {
      step();
      ids.forEach(pages::remove);
      replaced.remove(checkpoint);
    }

    @Override
    public void removeReplaced(long checkpoint) {
      step();
      List<PageId> ids = replaced.get(checkpoint);
      if (ids != null) {
        for (PageId id : ids) {
          step();
          pages.remove(id);
        }
        step();
        replaced.remove(checkpoint);
      }
    }
  }

  private static byte[] withoutReads(byte[] request) {
    return io.ensemble.tree.state.CommitRequests.withoutReads(request);
  }

  /** Adds a client that begins with {@code work} when its turn comes. */
  Client start(Consumer<Client> work) {
    Client client = new Client();
    clients.add(client);
    client.run(work);
    return client;
  }

  /** Runs until all clients have ended, or the time of the virtual clock is over. */
  void run(Duration longest) {
    long end = nowNanos + longest.toNanos();
    while (true) {
      List<Client> alive = clients.stream().filter(client -> !client.isDone).toList();
      if (alive.isEmpty()) {
        break;
      }
      if (nowNanos > end) {
        throw new AssertionError("clients have not ended after " + longest);
      }
      if (!late.isEmpty() && random.nextInt(5) == 0) {
        late.remove(random.nextInt(late.size())).run();
      }
      nowNanos += random.nextInt(400_000);
      alive.get(random.nextInt(alive.size())).turn.release();
      scheduler.acquireUninterruptibly();
    }
    late.forEach(Runnable::run);
    late.clear();
    for (Client client : clients) {
      if (client.failure != null) {
        throw new AssertionError("a client failed: " + client.failure, client.failure);
      }
    }
    clients.clear();
  }
}
