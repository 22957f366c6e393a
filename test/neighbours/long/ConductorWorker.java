// SPDX-License-Identifier: Apache-2.0
// A worker of Conductor's Java SDK that also starts workflows itself.  It stops the starts at the
// first line of its input, and ends with it.  usage: ConductorWorker URL NAME SECONDS
import com.netflix.conductor.client.automator.TaskRunnerConfigurer;
import com.netflix.conductor.client.http.ConductorClient;
import com.netflix.conductor.client.http.TaskClient;
import com.netflix.conductor.client.http.WorkflowClient;
import com.netflix.conductor.client.worker.Worker;
import com.netflix.conductor.common.metadata.tasks.TaskResult;
import com.netflix.conductor.common.metadata.workflow.StartWorkflowRequest;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

class ConductorWorker {
    static final int THREADS = 4;

    static TaskResult complete(com.netflix.conductor.common.metadata.tasks.Task task) {
        TaskResult result = new TaskResult(task);
        result.setStatus(TaskResult.Status.COMPLETED);
        return result;
    }

    static void startDirectly(WorkflowClient client, String name, double seconds, CountDownLatch stop) {
        try {
            for (int n = 1; stop.getCount() > 0; n++) {
                String id = "direct-" + name + "-" + n;
                StartWorkflowRequest start = new StartWorkflowRequest();
                start.setName(name);
                start.setVersion(1);
                start.setCorrelationId(id);
                try {
                    System.out.println("started " + id + " " + client.startWorkflow(start));
                } catch (RuntimeException error) { // any error of the SDK means: no answer
                    System.out.println(("failed " + id + " " + error).replace('\n', ' '));
                }
                stop.await((long) (seconds * 1000), TimeUnit.MILLISECONDS);
            }
        } catch (InterruptedException error) {
            Thread.currentThread().interrupt();
        }
        System.out.println("quiet");
    }

    public static void main(String[] args) throws Exception {
        ConductorClient client = new ConductorClient(args[0]);
        String name = args[1];
        new TaskRunnerConfigurer.Builder(new TaskClient(client),
                List.of(Worker.create(name, ConductorWorker::complete))).withThreadCount(THREADS).build().init();
        System.out.println("ready");
        CountDownLatch stop = new CountDownLatch(1);
        new Thread(() -> startDirectly(new WorkflowClient(client), name, Double.parseDouble(args[2]), stop)).start();
        for (int letter; (letter = System.in.read()) >= 0;)
            if (letter == '\n') stop.countDown();
        System.exit(0); // the client's threads would wait
    }
}
