/**
 * Distance between processes of one machine: every host is a network namespace of Linux with an
 * address of its own, and packets between two of them take as long, get as narrow and are lost as
 * often as a plan says, whatever program sends them. The kernel's netem does it where there is one;
 * elsewhere a process of ours that holds the other end of each host's network device. What this
 * really gives is measured from inside the hosts. Nothing outlives its owner: what a killed one has
 * left is known by its name and removed.
 */
@NullMarked
package io.ensemble.testkit.wan;

import org.jspecify.annotations.NullMarked;
