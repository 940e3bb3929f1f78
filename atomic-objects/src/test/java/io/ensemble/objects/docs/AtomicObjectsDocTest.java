package io.ensemble.objects.docs;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.objects.AtomicObjectFactory;
import io.ensemble.objects.ObjectType;
import io.ensemble.objects.store.MemoryStore;
import io.ensemble.objects.sync.Synchronizers;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AtomicObjectsDocTest {

  private static final Path HERE = Path.of("src/test/java/io/ensemble/objects/docs");

  @ParameterizedTest
  @CsvSource({
    "atomic-objects.md, Stock.java, class",
    "atomic-objects.md, AtomicObjectsExamples.java, first",
    "atomic-objects.md, AtomicObjectsExamples.java, calls",
    "atomic-objects.md, AtomicObjectsExamples.java, errors",
    "synchronizers.md, AtomicObjectsExamples.java, lock",
    "synchronizers.md, AtomicObjectsExamples.java, reentrant"
  })
  void theDocumentShowsTheExampleThatIsCompiled(String document, String file, String mark)
      throws IOException {
    assertThat(Files.readString(Path.of("../docs", document)))
        .contains(DocSnippet.example(HERE.resolve(file), mark));
  }

  @Test
  void theExamplesDoWhatTheySay() throws InterruptedException {
    try (MemoryStore store = new MemoryStore(1);
        AtomicObjectFactory objects = AtomicObjectFactory.on(store)) {
      Stock stock = objects.create("stock", ObjectType.of(Stock.class));
      stock.deliver("bolt", 5);

      assertThat(AtomicObjectsExamples.errors(stock)).isEqualTo("made");
      List<Long> tokens = new ArrayList<>();
      assertThat(
              AtomicObjectsExamples.underLock(
                  objects, () -> {}, (report, token) -> tokens.add(token)))
          .isTrue();
      AtomicObjectsExamples.underReentrantLock(
          Synchronizers.on(objects), () -> {}, (report, token) -> tokens.add(token));
      assertThat(tokens).hasSize(2).isSorted().doesNotHaveDuplicates();
      assertThat(AtomicObjectsExamples.calls(objects).get(0)).isEqualTo(1);
      assertThat(objects.exists("stock")).isFalse();
      assertThat(AtomicObjectsExamples.errors(stock)).isEqualTo("it was disposed of");
    }
  }
}
