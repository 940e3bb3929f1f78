package io.ensemble.heat;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HeatDocumentTest {

  @ParameterizedTest
  @ValueSource(strings = {"record", "read"})
  void theDocumentShowsTheCompiledExamples(String mark) throws IOException {
    String source = Files.readString(Path.of("src/test/java/io/ensemble/heat/HeatExamples.java"));
    int begin = source.indexOf("// " + mark + ":begin\n") + mark.length() + 10;
    String example = source.substring(begin, source.indexOf("    // " + mark + ":end"));

    assertThat(Files.readString(Path.of("../docs/heat-maps.md")))
        .contains(example.stripTrailing().stripIndent());
  }
}
