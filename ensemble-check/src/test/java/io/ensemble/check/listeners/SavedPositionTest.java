package io.ensemble.check.listeners;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SavedPositionTest {

  @TempDir Path directory;

  @Test
  void aPositionReplacesTheFormerOneAsAWhole() throws IOException {
    Path file = directory.resolve("position-0.json");
    SavedPosition second = new SavedPosition(100_000_001, 7, "AbC-_9");

    new SavedPosition(100_000_000, 3, "a much longer position than the next one").writeTo(file);
    second.writeTo(file);

    assertThat(SavedPosition.readFrom(file)).isEqualTo(second);
    try (var files = Files.list(directory)) {
      assertThat(files).as("no draft is left").containsExactly(file);
    }
  }

  @Test
  void everyKindOfRestartIsChosen() {
    Set<FaultableListeners.Variant> variants = new HashSet<>();
    for (int strength = 0; strength < 100; strength++) {
      variants.add(FaultableListeners.variant(strength));
    }

    assertThat(variants).containsExactlyInAnyOrder(FaultableListeners.Variant.values());
  }
}
