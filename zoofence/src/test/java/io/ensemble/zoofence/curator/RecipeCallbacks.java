package io.ensemble.zoofence.curator;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.Queue;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.recipes.queue.QueueConsumer;
import org.apache.curator.framework.recipes.queue.QueueSerializer;
import org.apache.curator.framework.recipes.shared.SharedCountListener;
import org.apache.curator.framework.recipes.shared.SharedCountReader;
import org.apache.curator.framework.state.ConnectionState;

/** Callbacks and serializers that recipes require, for texts. */
final class RecipeCallbacks {

  private RecipeCallbacks() {}

  /** Records the messages of a queue. */
  record Taking(Queue<String> taken) implements QueueConsumer<String> {
    @Override
    public void consumeMessage(String message) {
      taken.add(message);
    }

    @Override
    public void stateChanged(CuratorFramework client, ConnectionState state) {
      // The connection is not under test.
    }
  }

  /** Records every count. */
  record Counts(Queue<String> seen) implements SharedCountListener {
    @Override
    public void countHasChanged(SharedCountReader reader, int count) {
      seen.add(Integer.toString(count));
    }

    @Override
    public void stateChanged(CuratorFramework client, ConnectionState state) {
      // The connection is not under test.
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
