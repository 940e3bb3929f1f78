package io.ensemble.objects.docs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Examples of documents, taken from compiled files. */
public final class DocSnippet {

  private DocSnippet() {}

  /** The lines between two marks of a file, as a document shows them. */
  public static String example(Path file, String mark) throws IOException {
    List<String> lines = Files.readAllLines(file);
    List<String> trimmed = lines.stream().map(String::strip).toList();
    int begin = trimmed.indexOf("// " + mark + ":begin");
    int end = trimmed.indexOf("// " + mark + ":end");
    String example = String.join("\n", lines.subList(begin + 1, end)).stripIndent();
    return "```java\n" + example + "\n```";
  }
}
