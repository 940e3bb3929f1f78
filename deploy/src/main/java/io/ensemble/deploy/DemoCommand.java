package io.ensemble.deploy;
import picocli.CommandLine.Command;
@Command(name="demo")
final class DemoCommand {}
