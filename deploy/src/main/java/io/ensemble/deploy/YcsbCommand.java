package io.ensemble.deploy;
import picocli.CommandLine.Command;
@Command(name="ycsb")
final class YcsbCommand {}
