package io.ensemble.tree.state;

import io.ensemble.tree.TreeSettings;
import io.ensemble.tree.state.TreePage.PageReference;
import io.ensemble.tree.state.TreeState.Mark;
import java.time.Duration;

/** The bytes of the sequencer's state. */
public final class TreeStateCodec {

  /** In format 1, references of pages counted nodes. */
  private static final int FORMAT = 2;

  /** Encodes a state; equal states have equal bytes. */
  public byte[] write(TreeState state) {
    TreeOutput out = new TreeOutput();
    out.octet(FORMAT);
    out.text(state.birth);
    settings(out, state.settings);
    out.number(state.last);
    out.signed(state.chain);
    out.number(state.materialized);
    out.signed(state.materializedChain);
    out.number(state.checkpoint);
    PageReference.writeOptional(out, state.root);
    out.number(state.plannedTo);
    out.number(state.windowFrom);
    out.number(state.windowBytes);
    out.number(state.logBytes);
    out.number(state.removedTo);
    out.number(state.readableFrom);
    out.octet(state.isDeleted ? 1 : 0);
    out.number(state.marks.size());
    for (Mark mark : state.marks) {
      out.number(mark.checkpoint());
      out.signed(mark.millis());
    }
    out.number(state.commits.size());
    for (LoggedCommit commit : state.commits) {
      out.signed(commit.chain());
      out.block(commit.number() > state.materialized ? commit.payload() : commit.written());
    }
    return out.toBytes();
  }

  /** Decodes a state; throws {@link IllegalArgumentException} for bytes that are none. */
  public TreeState read(byte[] bytes) {
    TreeInput in = new TreeInput(bytes);
    int format = in.octet();
    if (format != FORMAT) {
      throw new IllegalArgumentException("expected format " + FORMAT + "; got " + format);
    }
    TreeState state = new TreeState(in.text(), settings(in));
    state.last = in.number();
    state.chain = (int) in.signed();
    state.materialized = in.number();
    state.materializedChain = (int) in.signed();
    state.checkpoint = in.number();
    state.root = PageReference.readOptional(in);
    state.plannedTo = in.number();
    state.windowFrom = in.number();
    state.windowBytes = (int) in.number();
    state.logBytes = (int) in.number();
    state.removedTo = in.number();
    state.readableFrom = in.number();
    state.isDeleted = in.index(2) == 1;
    for (int left = in.count(); left > 0; left--) {
      state.marks.add(new Mark(in.number(), in.signed()));
    }
    int count = in.count();
    for (int i = 0; i < count; i++) {
      long number = state.last - count + 1 + i;
      int chain = (int) in.signed();
      byte[] block = in.block();
      state.commits.add(
          number > state.materialized
              ? LoggedCommit.withChanges(number, chain, block)
              : LoggedCommit.withPaths(number, chain, block));
    }
    in.end();
    return state;
  }

  private static void settings(TreeOutput out, TreeSettings settings) {
    out.number(settings.maxValueBytes());
    out.number(settings.maxChanges());
    out.number(settings.maxTransactionBytes());
    out.number(settings.maxRemoved());
    out.number(settings.maxNodes());
    out.number(settings.maxBytes());
    out.number(settings.maxTransactions());
    out.number(settings.maxWatches());
    out.number(settings.logBytes());
    out.number(settings.windowBytes());
    out.number(settings.pageBytes());
    out.number(settings.retention().toMillis());
  }

  private static TreeSettings settings(TreeInput in) {
    return new TreeSettings(
        (int) in.number(),
        (int) in.number(),
        (int) in.number(),
        (int) in.number(),
        in.number(),
        in.number(),
        (int) in.number(),
        (int) in.number(),
        (int) in.number(),
        (int) in.number(),
        (int) in.number(),
        Duration.ofMillis(in.number()));
  }
}
