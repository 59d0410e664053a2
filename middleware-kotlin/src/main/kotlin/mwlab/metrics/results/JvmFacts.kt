package mwlab.metrics.results

import com.sun.management.OperatingSystemMXBean
import java.lang.management.ManagementFactory

/** What the virtual machine has used so far. */
class JvmFacts private constructor(
    val cpuSeconds: Double,
    val heapUsedBytes: Long,
    val gcCount: Long,
    val gcTimeMs: Long,
) {
    /** What was used since [earlier]; the heap is that of now. */
    fun since(earlier: JvmFacts): JvmFacts = JvmFacts(
        cpuSeconds = cpuSeconds - earlier.cpuSeconds,
        heapUsedBytes = heapUsedBytes,
        gcCount = gcCount - earlier.gcCount,
        gcTimeMs = gcTimeMs - earlier.gcTimeMs,
    )

    companion object {
        private const val NANOS_PER_S = 1e9
        private val system = ManagementFactory.getOperatingSystemMXBean() as OperatingSystemMXBean
        private val memory = ManagementFactory.getMemoryMXBean()
        private val collectors = ManagementFactory.getGarbageCollectorMXBeans()

        val version: String = System.getProperty("java.vm.version")
        val maxHeapBytes: Long = Runtime.getRuntime().maxMemory()

        /** The facts of this moment; thread-safe. */
        fun now(): JvmFacts = JvmFacts(
            cpuSeconds = system.processCpuTime / NANOS_PER_S,
            heapUsedBytes = memory.heapMemoryUsage.used,
            gcCount = collectors.sumOf { it.collectionCount },
            gcTimeMs = collectors.sumOf { it.collectionTime },
        )
    }
}
