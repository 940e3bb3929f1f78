package io.ensemble.tree.runtime;

import static java.util.concurrent.TimeUnit.NANOSECONDS;

import io.ensemble.objects.AtomicObjectException;
import io.ensemble.objects.AtomicObjectException.CallRefused;
import io.ensemble.objects.AtomicObjectException.CallUnknown;
import io.ensemble.objects.AtomicObjectException.NoSuchObject;
import io.ensemble.objects.AtomicObjectException.StoreUnavailable;
import io.ensemble.objects.AtomicObjectFactory;
import io.ensemble.objects.ObjectType;
import io.ensemble.objects.ObservedState;
import io.ensemble.objects.RootSizes;
import io.ensemble.objects.runtime.BlockingWait;
import io.ensemble.objects.value.StateCodec;
import io.ensemble.tree.NodeAccess;
import io.ensemble.tree.NodePermissions;
import io.ensemble.tree.TreeException;
import io.ensemble.tree.TreeSettings;
import io.ensemble.tree.state.CommitOutcome;
import io.ensemble.tree.state.SequencerCalls;
import io.ensemble.tree.state.SequencerCalls.AdvanceOutcome;
import io.ensemble.tree.state.TreeState;
import io.ensemble.tree.state.TreeStateCodec;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The sequencer as an atomic object. */
public final class ObjectSequencer implements CommitSequencer {

  /** The state is in the root unless a transaction is very large. */
  private static final RootSizes SIZES = new RootSizes(96 << 10, 32 << 10, 8);

  private static final StateCodec<TreeState> CODEC =
      new StateCodec<>() {
        private final TreeStateCodec codec = new TreeStateCodec();

        @Override
        public byte[] write(TreeState state) {
          return codec.write(state);
        }

        @Override
        public TreeState read(byte[] bytes) {
          return codec.read(bytes);
        }
      };

  private static final String PREFIX = "tree:";

  /** How often a state is read that is replaced during the read. */
  private static final int READS = 3;

  private final AtomicObjectFactory factory;
  private final String tree;
  private final ObjectType<SequencerCalls> type;
  private final SequencerCalls proxy;
  private final JoinedReads<TreeState> reads = new JoinedReads<>(this::readOnce);
  private volatile @Nullable String birth;
  private volatile @Nullable ObservedState<SequencerCalls> observed;

  private ObjectSequencer(
      AtomicObjectFactory factory,
      String tree,
      ObjectType<SequencerCalls> type,
      SequencerCalls proxy) {
    this.factory = factory;
    this.tree = tree;
    this.type = type;
    this.proxy = proxy;
  }

  private static ObjectType<SequencerCalls> type() {
    NodePermissions unused = NodePermissions.of("-", NodeAccess.NONE);
    return ObjectType.<SequencerCalls>of(
            SequencerCalls.class, () -> TreeState.create("", TreeSettings.DEFAULT, unused))
        .codec(CODEC)
        .named("ensemble.tree")
        .sizes(SIZES);
  }

  /** The name of the atomic object of a tree. */
  public static String objectName(String tree) {
    return PREFIX + tree;
  }

  /** The tree of an atomic object; empty if it is not that of a tree. */
  public static Optional<String> treeOf(String object) {
    return object.startsWith(PREFIX)
        ? Optional.of(object.substring(PREFIX.length()))
        : Optional.empty();
  }

  /** Opens a tree. Throws {@link TreeException.NoSuchTree} if it does not exist. */
  public static ObjectSequencer open(AtomicObjectFactory factory, String tree) {
    ObjectType<SequencerCalls> type = type();
    return new ObjectSequencer(
        factory, tree, type, waited(tree, factory.openAsync(objectName(tree), type)));
  }

  /** Opens a tree; creates it with this state if it does not exist. */
  public static ObjectSequencer openOrCreate(
      AtomicObjectFactory factory, String tree, TreeState initial) {
    ObjectType<SequencerCalls> type = type();
    return new ObjectSequencer(
        factory,
        tree,
        type,
        waited(tree, factory.makeAsync(objectName(tree), type, initial)).proxy());
  }

  @Override
  public TreeState read() {
    TreeState state = waited(tree, reads.read());
    String known = birth;
    if (known == null) {
      birth = state.birth();
    } else if (!known.equals(state.birth())) {
      throw new TreeException.NoSuchTree(tree); // another tree has its name now
    }
    if (state.isDeleted()) {
      throw new TreeException.NoSuchTree(tree);
    }
    return state;
  }

  /**
   * Deletes a tree with its pages, or continues a deletion that another process has begun. If this
   * process dies before its end, the name can be deleted again, which removes the rest.
   *
   * @return false if there was no such tree, or if it was being deleted already
   */
  public static boolean delete(
      AtomicObjectFactory factory, String tree, Consumer<String> pageRemoval) {
    ObjectSequencer sequencer;
    try {
      sequencer = open(factory, tree);
    } catch (TreeException.NoSuchTree none) {
      return false;
    }
    boolean isFirst = false;
    try {
      isFirst = waited(tree, factory.async(sequencer.proxy, SequencerCalls::delete));
      ObservedState<SequencerCalls> marked = sequencer.observe();
      TreeState state = (TreeState) marked.state();
      if (!state.isDeleted()) {
        return isFirst; // another process removed the rest, and it was created again
      }
      pageRemoval.accept(state.birth());
      dispose(factory, tree, marked.birth());
      return isFirst;
    } catch (TreeException.NoSuchTree none) {
      return isFirst; // another process removed the rest
    } finally {
      sequencer.close();
    }
  }

  private static void dispose(AtomicObjectFactory factory, String tree, UUID birth) {
    try {
      factory.dispose(objectName(tree), birth);
    } catch (StoreUnavailable e) {
      throw new TreeException.Unknown("the store did not confirm that the tree is deleted", e);
    }
  }

  private ObservedState<SequencerCalls> observe() {
    waited(tree, reads.read());
    return java.util.Objects.requireNonNull(observed);
  }

  private CompletionStage<TreeState> readOnce() {
    return readOnce(READS);
  }

  /** A state that is not in the entry of the object may be replaced during each of its reads. */
  private CompletionStage<TreeState> readOnce(int reads) {
    ObservedState<SequencerCalls> before = observed;
    return ObservedState.of(factory, objectName(tree), type, before)
        .thenCompose(
            seen -> {
              if (seen.isEmpty()) {
                return reads > 1
                    ? readOnce(reads - 1)
                    : CompletableFuture.failedFuture(
                        new TreeException.NotApplied("the tree changed during each read", null));
              }
              observed = seen.get();
              return CompletableFuture.completedFuture((TreeState) seen.get().state());
            });
  }

  @Override
  public CommitOutcome commit(byte[] request) {
    CommitOutcome outcome =
        waited(tree, factory.async(proxy, sequencer -> sequencer.commit(request)));
    if (outcome.kind() == CommitOutcome.Kind.DELETED) {
      throw new TreeException.NoSuchTree(tree);
    }
    return outcome;
  }

  @Override
  public Optional<AdvanceOutcome> advance(long checkpoint, int chain, byte[] root, long removedTo) {
    long now = System.currentTimeMillis();
    try {
      AdvanceOutcome outcome =
          waited(
              tree,
              factory.async(
                  proxy, sequencer -> sequencer.advance(checkpoint, chain, root, now, removedTo)));
      if (outcome.isDeleted()) {
        throw new TreeException.NoSuchTree(tree);
      }
      return Optional.of(outcome);
    } catch (TreeException.Unknown | TreeException.NotApplied e) {
      return Optional.empty();
    }
  }

  @Override
  public Runnable nextChange(Duration atMost) {
    CompletionStage<Void> change = factory.changed(proxy, atMost);
    return () -> waited(tree, change);
  }

  @Override
  public void pause(Duration time) {
    waited(
        tree, new CompletableFuture<Void>().completeOnTimeout(null, time.toNanos(), NANOSECONDS));
  }

  @Override
  public long nanoTime() {
    return factory.clockwork().now();
  }

  /** Closes the object for this handle, without waiting. */
  public void close() {
    factory.closeAsync(proxy);
  }

  private static <T> T waited(String tree, CompletionStage<T> stage) {
    try {
      return BlockingWait.toItsEnd(stage);
    } catch (CallUnknown e) {
      throw new TreeException.Unknown(String.valueOf(e.getMessage()), e);
    } catch (NoSuchObject e) {
      throw new TreeException.NoSuchTree(tree);
    } catch (CallRefused | StoreUnavailable e) {
      throw new TreeException.NotApplied(String.valueOf(e.getMessage()), e);
    } catch (AtomicObjectException e) {
      throw new TreeException.Damaged(String.valueOf(e.getMessage()), e);
    }
  }
}
