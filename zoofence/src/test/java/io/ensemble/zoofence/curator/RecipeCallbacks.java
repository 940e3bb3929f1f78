package io.ensemble.zoofence.curator;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.Queue;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.recipes.queue.QueueConsumer;
import org.apache.curator.framework.recipes.queue.QueueSerializer;
import org.apache.curator.framework.recipes.shared.SharedCountListener;
import org.apache.curator.framework.recipes.shared.SharedCountReader;
import org.apache.curator.framework.state.ConnectionState;

/** What recipes want of their users, for texts. */
final class RecipeCallbacks {

  private RecipeCallbacks() {}

  /** Keeps what comes out of a queue. */
  record Taking(Queue<String> taken) implements QueueConsumer<String> {
    @Override
    public void consumeMessage(String message) {
      taken.add(message);
    }

    @Override
    public void stateChanged(CuratorFramework client, ConnectionState state) {
      // Its connection is not what is tried.
    }
  }

  /** Keeps every count that it is told. */
  record Counts(Queue<String> seen) implements SharedCountListener {
    @Override
    public void countHasChanged(SharedCountReader reader, int count) {
      seen.add(Integer.toString(count));
    }

    @Override
    public void stateChanged(CuratorFramework client, ConnectionState state) {
      // Its connection is not what is tried.
    }
  }

  /** Texts as bytes. */
  static final class Texts implements QueueSerializer<String> {
    @Override
    public byte[] serialize(String item) {
      return item.getBytes(UTF_8);
    }

    @Override
    public String deserialize(byte[] bytes) {
      return new String(bytes, UTF_8);
    }
  }
}
