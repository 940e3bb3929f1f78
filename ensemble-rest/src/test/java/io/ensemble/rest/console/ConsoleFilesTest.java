package io.ensemble.rest.console;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The page is small, whole, and loads nothing from elsewhere. */
class ConsoleFilesTest {

  private static final int MOST_BYTES = 200_000;

  private static List<ConsoleFile> files() {
    return Console.FILES.stream().map(ConsoleFile::of).toList();
  }

  @Test
  void thePageWeighsLessThanTwoHundredKilobytes() {
    int bytes = files().stream().mapToInt(file -> file.content().length).sum();

    assertThat(bytes).isBetween(10_000, MOST_BYTES);
    System.out.printf("the console weighs %d bytes%n", bytes);
  }

  @Test
  void everyFileThatIsThereIsServedAndNoOther() throws Exception {
    try (Stream<Path> there =
        Files.list(Path.of(Console.class.getResource("index.html").toURI()).getParent())) {
      assertThat(there.map(file -> file.getFileName().toString()))
          .filteredOn(name -> !name.endsWith(".class"))
          .containsExactlyInAnyOrderElementsOf(Console.FILES);
    }
  }

  @Test
  void nothingComesFromElsewhereAndNoTextBecomesMarkup() {
    for (ConsoleFile file : files()) {
      String text =
          new String(file.content(), StandardCharsets.UTF_8)
              .replace("http://www.w3.org/2000/svg", "");

      assertThat(text)
          .as(file.name())
          .doesNotContain("http:", "https:", "//cdn", "innerHTML", "outerHTML", "insertAdjacent")
          .doesNotContain("document.write", "eval(", "new Function", "localStorage", " style=")
          .doesNotContainPattern("<[^>]+\\son[a-z]+=");
    }
  }

  @Test
  void everyModuleThatIsAskedForIsThere() {
    for (ConsoleFile file : files()) {
      java.util.regex.Matcher asked =
          java.util.regex.Pattern.compile("from '\\./([^']+)'")
              .matcher(new String(file.content(), StandardCharsets.UTF_8));
      while (asked.find()) {
        assertThat(Console.FILES).as(file.name()).contains(asked.group(1));
      }
    }
  }
}
