package io.ensemble.catalog.record;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ensemble.catalog.record.CatalogRecords.Kind;
import io.ensemble.site.Bytes;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class FileRecordsTest {

  @TempDir Path directory;

  @Test
  void whatIsUnderWayIsDoneWhenItIsClosedAndNothingIsWrittenLater() throws IOException {
    FileRecords records = new FileRecords(CatalogDirectory.in(directory));
    List<CompletableFuture<Boolean>> calls = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      calls.add(created(records, "c" + i));
    }

    records.close();

    assertThat(calls).allMatch(CompletableFuture::isDone);
    for (int i = 0; i < calls.size(); i++) {
      assertThat(calls.get(i).join()).isTrue();
      assertThat(Files.exists(directory.resolve("c" + i + ".cache"))).isTrue();
    }
    assertThatThrownBy(() -> created(records, "late").join())
        .hasMessageContaining("the catalog is closed");
  }

  private static CompletableFuture<Boolean> created(FileRecords records, String name) {
    Bytes text = Bytes.of(name.getBytes(UTF_8));
    return records.create(Kind.CACHE, name, text).toCompletableFuture();
  }
}
