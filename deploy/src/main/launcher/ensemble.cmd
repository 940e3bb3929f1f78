@echo off
rem Runs Ensemble's command line from an installed distribution. Needs a Java runtime of 17 or later.
setlocal
set "JAVA=java"
if defined JAVA_HOME set "JAVA=%JAVA_HOME%\bin\java.exe"
"%JAVA%" -version >nul 2>&1
if errorlevel 1 (
  echo ensemble: a Java runtime 17 or later is needed: set JAVA_HOME, or put java on the PATH 1>&2
  exit /b 1
)
set "LIB=%~dp0..\lib"
"%JAVA%" -Xmx1536m %ENSEMBLE_JAVA_OPTS% "-Densemble.benchmarks=%LIB%" "-Densemble.servers=%LIB%" ^
  -cp "%LIB%\ensemble-cli.jar" io.ensemble.cli.Main %*
exit /b %errorlevel%
