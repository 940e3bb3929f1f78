package io.ensemble.versioning.docs;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.objects.AtomicObjectFactory;
import io.ensemble.objects.docs.DocSnippet;
import io.ensemble.objects.store.MemoryStore;
import io.ensemble.versioning.BinaryCodec;
import io.ensemble.versioning.VersionedCache;
import io.ensemble.versioning.listen.Subscription;
import io.ensemble.versioning.order.HybridTime;
import io.ensemble.versioning.order.HybridTimes;
import io.ensemble.versioning.order.VersionVector;
import io.ensemble.versioning.order.VersionVectors;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class VersioningDocTest {

  private static final Path EXAMPLES =
      Path.of("src/test/java/io/ensemble/versioning/docs/VersioningExamples.java");

  @ParameterizedTest
  @ValueSource(
      strings = {
        "first",
        "reads",
        "times",
        "snapshot-version",
        "diff",
        "map",
        "retention",
        "errors",
        "siblings",
        "listen",
        "position"
      })
  void theDocumentShowsTheExampleThatIsCompiled(String mark) throws IOException {
    assertThat(Files.readString(Path.of("../docs/versioning.md")))
        .contains(DocSnippet.example(EXAMPLES, mark));
  }

  @Test
  void theExamplesDoWhatTheySay() {
    try (MemoryStore store = new MemoryStore(1);
        AtomicObjectFactory objects = AtomicObjectFactory.on(store);
        VersionedCache<String, String, HybridTime> pages =
            VersionedCache.builder(
                    objects, "pages", BinaryCodec.TEXT, BinaryCodec.TEXT, new HybridTimes())
                .open()) {
      HybridTime first = pages.add("home", "hello");
      pages.add("home", "hello, world");

      assertThat(VersioningExamples.reads(pages)).isEqualTo(2 + 2 + 1);
      assertThat(VersioningExamples.errors(pages, first)).isEqualTo("hello");
      assertThat(VersioningExamples.errors(pages, new HybridTime(1, 0)))
          .isEqualTo("there is no such version");
      assertThat(VersioningExamples.times(pages, Instant.EPOCH)).isEqualTo("none and later ones");
      assertThat(VersioningExamples.times(pages, Instant.now())).startsWith("hello, world");
      assertThat(VersioningExamples.stableSnapshot(pages)).isTrue();
      assertThat(VersioningExamples.diff(pages, Instant.now().minusSeconds(7 * 24 * 3600)))
          .isEqualTo(2);
      assertThat(VersioningExamples.map(pages)).isEqualTo(2); // visits, and about
      assertThat(VersioningExamples.retained(objects).put("audit", "x")).isNull();
      pages.compact("home", HybridTime.at(Instant.now().plusSeconds(60)));
      assertThat(VersioningExamples.errors(pages, first)).isEqualTo("compaction took it");
      assertThat(VersioningExamples.times(pages, Instant.EPOCH)).startsWith("since ");
    }
  }

  @Test
  void whoListensGoesOnFromItsPosition() throws InterruptedException {
    try (MemoryStore store = new MemoryStore(1);
        AtomicObjectFactory objects = AtomicObjectFactory.on(store);
        VersionedCache<String, String, HybridTime> pages =
            VersionedCache.builder(
                    objects, "pages", BinaryCodec.TEXT, BinaryCodec.TEXT, new HybridTimes())
                .open()) {
      BlockingQueue<String> told = new LinkedBlockingQueue<>();
      pages.add("home", "hello");

      Subscription first = VersioningExamples.listen(pages, Optional.empty(), told::add);
      assertThat(told.take()).isEqualTo("home: hello");
      pages.add("home", "hello, world");
      assertThat(told.take()).isEqualTo("home: hello, world");
      byte[] position = VersioningExamples.kept(first);
      first.ended().toCompletableFuture().join();
      pages.add("about", "us");

      assertThat(position).hasSizeLessThanOrEqualTo(80);
      VersioningExamples.listen(pages, Optional.of(VersioningExamples.kept(first)), told::add);
      assertThat(told.take()).isEqualTo("about: us");
    }
  }

  @Test
  void siblingsAreResolved() {
    try (MemoryStore store = new MemoryStore(1);
        AtomicObjectFactory here = AtomicObjectFactory.on(store);
        AtomicObjectFactory there = AtomicObjectFactory.on(store)) {
      assertThat(VersioningExamples.siblings(carts(here, "lyon"), carts(there, "oslo")))
          .isIn("bread, milk", "milk, bread");
    }
  }

  private static VersionedCache<String, String, VersionVector> carts(
      AtomicObjectFactory factory, String writer) {
    return VersionedCache.builder(
            factory, "carts", BinaryCodec.TEXT, BinaryCodec.TEXT, new VersionVectors(writer))
        .open();
  }
}
