package io.ensemble.objects.docs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Examples of documents, which are parts of files that are compiled. */
public final class DocSnippet {

  private DocSnippet() {}

  /** As a document shows what stands between two marks of a file. */
  public static String example(Path file, String mark) throws IOException {
    List<String> lines = Files.readAllLines(file);
    List<String> trimmed = lines.stream().map(String::strip).toList();
    int begin = trimmed.indexOf("// " + mark + ":begin");
    int end = trimmed.indexOf("// " + mark + ":end");
    String example = String.join("\n", lines.subList(begin + 1, end)).stripIndent();
    return "```java\n" + example + "\n```";
  }
}
