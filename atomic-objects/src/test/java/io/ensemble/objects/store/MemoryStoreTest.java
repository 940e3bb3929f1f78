package io.ensemble.objects.store;

import java.util.List;
import org.junit.jupiter.api.AfterEach;

class MemoryStoreTest extends ObjectStoreContract {

  private final MemoryStore memory = new MemoryStore(1);

  @Override
  List<ObjectStore> stores() {
    return List.of(memory);
  }

  @AfterEach
  void close() {
    memory.close();
  }
}
